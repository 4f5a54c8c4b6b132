"""Options of llvmlite's LLVM.

On processors whose model in LLVM has a large loop buffer (AMD's, 4,096 operations), LLVM unrolls loops whose number of
turns it does not know, up to eight times. A loop over the links of a robot becomes no faster, but a kernel takes 40 %
longer to compile, and each process that loads it spends 70 % more time on machine code.
"""

OPTIONS = ("-unroll-runtime=false",)
