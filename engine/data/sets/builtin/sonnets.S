/* SPDX-License-Identifier: Apache-2.0 */
/* A short text inside the program, so that no file has to be found at run time. */
    .section .rodata
    .global ringsideSonnetsBegin
    .hidden ringsideSonnetsBegin
ringsideSonnetsBegin:
    .incbin RINGSIDE_SONNETS_FILE
    .global ringsideSonnetsEnd
    .hidden ringsideSonnetsEnd
ringsideSonnetsEnd:
    .byte 0
    .section .note.GNU-stack,"",%progbits
