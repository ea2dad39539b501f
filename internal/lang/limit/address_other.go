//go:build !linux && !darwin

package limit

import "math"

// addressSpace returns [math.MaxInt64]: there is no such limit.
func addressSpace() int64 { return math.MaxInt64 }
