package files

import (
	"context"
	"errors"
	"os"
)

// Lock is a locked file that has no content: it only keeps processes apart.
type Lock struct{ lock lock }

// LockFile locks a file below root, for this process alone or shared with others. For itself alone
// it creates the file. It waits for other processes until ctx is cancelled.
func LockFile(ctx context.Context, root *os.Root, name string, exclusive bool) (*Lock, error) {
	flags := os.O_RDONLY | nonBlocking
	if exclusive {
		flags = os.O_RDWR | os.O_CREATE | nonBlocking
	}
	f, err := root.OpenFile(name, flags, 0o600)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // nothing is written
	info, err := f.Stat()
	if err == nil {
		err = CheckRegular(info)
	}
	l := &Lock{}
	if err == nil {
		err = l.lock.take(ctx, f.Fd(), exclusive)
	}
	if err == nil && !l.lock.held && canLock {
		err = errors.New("its file system has no locks")
	}
	if err != nil {
		l.Release()
		return nil, err
	}
	return l, nil
}

// Release unlocks the file. A nil Lock is not locked.
func (l *Lock) Release() {
	if l != nil {
		l.lock.release()
	}
}
