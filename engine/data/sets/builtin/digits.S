/* SPDX-License-Identifier: Apache-2.0 */
/* The digits data set inside the program, so that no file has to be found at run time. */
    .section .rodata
    .balign 16
    .global ringsideDigitsBegin
    .hidden ringsideDigitsBegin
ringsideDigitsBegin:
    .incbin RINGSIDE_DIGITS_FILE
    .global ringsideDigitsEnd
    .hidden ringsideDigitsEnd
ringsideDigitsEnd:
    .byte 0
    .section .note.GNU-stack,"",%progbits
