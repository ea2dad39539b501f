package settings

import "testing"

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{
		"1": 1, "1048576": 1 << 20, "500MB": 500e6, "500M": 500e6, "2GiB": 2 << 30, "2gi": 2 << 30,
		"1.5KiB": 1536, "1 KiB": 1024, "10b": 10, "4TiB": 4 << 40,
	} {
		t.Run(text, func(t *testing.T) {
			if got, err := parseSize(text); err != nil || got != want {
				t.Errorf("%s: got %d, %v, want %d", text, got, err, want)
			}
		})
	}
	for _, text := range []string{
		"", "0", "-1", "x", "1x", "1iB", "GiB", "1KM", "1MMB", "NaN",
		"Inf", "1e30", "9999999TiB", "0.1",
	} {
		t.Run(text, func(t *testing.T) {
			if got, err := parseSize(text); err == nil {
				t.Errorf("%q is accepted as %d", text, got)
			}
		})
	}
}
