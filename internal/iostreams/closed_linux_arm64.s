#include "textflag.h"

// fctl_entry is where the program starts. See statusAtStart.
TEXT fctl_entry(SB), NOSPLIT|NOFRAME, $0
	MOVD $25, R8 // fcntl
	MOVD $0, R0
	MOVD $1, R1 // F_GETFD
	SVC
	MOVD R0, ·statusAtStart(SB)
	MOVD $25, R8
	MOVD $1, R0
	MOVD $1, R1
	SVC
	MOVD R0, ·statusAtStart+8(SB)
	MOVD $25, R8
	MOVD $2, R0
	MOVD $1, R1
	SVC
	MOVD R0, ·statusAtStart+16(SB)
	JMP  _rt0_arm64_linux(SB)
