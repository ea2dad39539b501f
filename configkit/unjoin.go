package configkit

// Unjoin takes the errors apart that errors.Join put together, joined ones in them too.
func Unjoin(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, err := range joined.Unwrap() {
		all = append(all, Unjoin(err)...)
	}
	return all
}
