#include "textflag.h"

// fctl_entry is where the program starts. See statusAtStart.
TEXT fctl_entry(SB), NOSPLIT|NOFRAME, $0
	MOVQ $72, AX // fcntl
	MOVQ $0, DI
	MOVQ $1, SI // F_GETFD
	SYSCALL
	MOVQ AX, ·statusAtStart(SB)
	MOVQ $72, AX
	MOVQ $1, DI
	MOVQ $1, SI
	SYSCALL
	MOVQ AX, ·statusAtStart+8(SB)
	MOVQ $72, AX
	MOVQ $2, DI
	MOVQ $1, SI
	SYSCALL
	MOVQ AX, ·statusAtStart+16(SB)
	JMP  _rt0_amd64_linux(SB)
