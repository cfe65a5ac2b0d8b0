/* SPDX-License-Identifier: Apache-2.0 */
/* The Python that scripts are made of inside the program, so that no file has to be found at run time. */
    .section .rodata
    .macro global name
    .global \name
    .hidden \name
\name:
    .endm
    /* A file begins with comments: an empty piece keeps them apart from the piece before. */
    .macro python file
    .ascii "#@ -\n"
    .incbin "\file"
    .endm
    .balign 16
    global ringsidePythonFrameBegin
    .incbin "pytorch_train.py"
    global ringsidePythonFrameEnd
    .byte 0
    global ringsidePythonPiecesBegin
    python "data.py"
    python "models.py"
    python "pipeline.py"
    python "sampler.py"
    python "strategies.py"
    python "training.py"
    python "transforms.py"
    global ringsidePythonPiecesEnd
    .byte 0
    .section .note.GNU-stack,"",%progbits
