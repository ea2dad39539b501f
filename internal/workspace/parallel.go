package workspace

import "sync"

// parallel calls do for 0 to n-1, at most limit at a time. It returns the error of the lowest
// number that failed; after an error no other call begins.
func parallel(n, limit int, do func(i int) error) error {
	if limit <= 1 || n <= 1 {
		for i := range n {
			if err := do(i); err != nil {
				return err
			}
		}
		return nil
	}
	var (
		mu     sync.Mutex
		next   int
		failed = n
		first  error
		group  sync.WaitGroup
	)
	take := func() (int, bool) {
		mu.Lock()
		defer mu.Unlock()
		if next == n || first != nil {
			return 0, false
		}
		next++
		return next - 1, true
	}
	for range min(limit, n) {
		group.Go(func() {
			for i, ok := take(); ok; i, ok = take() {
				if err := do(i); err != nil {
					mu.Lock()
					if i < failed {
						failed, first = i, err
					}
					mu.Unlock()
				}
			}
		})
	}
	group.Wait()
	return first
}
