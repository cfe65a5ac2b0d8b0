/* SPDX-License-Identifier: Apache-2.0 */
/* The script's frame inside the program, so that no file has to be found at run time. */
    .section .rodata
    .balign 16
    .global ringsidePytorchTemplateBegin
    .hidden ringsidePytorchTemplateBegin
ringsidePytorchTemplateBegin:
    .incbin RINGSIDE_PYTORCH_TEMPLATE
    .global ringsidePytorchTemplateEnd
    .hidden ringsidePytorchTemplateEnd
ringsidePytorchTemplateEnd:
    .byte 0
    .section .note.GNU-stack,"",%progbits
