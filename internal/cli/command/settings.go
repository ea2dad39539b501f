package command

import (
	"errors"
	"io/fs"
	"os"

	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/settings"
)

// Settings loads the settings and sets the colour of the streams.
func (a *App) Settings(flags *pflag.FlagSet) (*settings.Settings, error) {
	sources, err := a.Sources(flags)
	if err != nil {
		return nil, err
	}
	return a.Settle(sources, flags)
}

// Sources reads the settings files.
func (a *App) Sources(flags *pflag.FlagSet) (*settings.Sources, error) {
	if err := checkDirectory(a.Dir); err != nil {
		return nil, err
	}
	return settings.Read(flags, settings.DefaultLocations(a.Dir, a.Config)), nil
}

// Settle combines the settings with the current values of the flags.
func (a *App) Settle(sources *settings.Sources, flags *pflag.FlagSet) (*settings.Settings, error) {
	s, err := sources.Settings(flags, a.Context)
	if err != nil {
		return nil, err
	}
	a.Limits.Set(s.MemoryBytes, s.TimeLimit)
	a.Gate.Check = s.CheckPath
	for _, path := range a.opened {
		if err := s.CheckPath(path); err != nil {
			return nil, err
		}
	}
	if err := a.Streams.SetColor(s.Color); err != nil {
		return nil, s.Invalid("color", err)
	}
	return s, nil
}

// SettingsNotes prints the notes about the settings.
func (a *App) SettingsNotes(s *settings.Settings) {
	if s.ShowsNotes() {
		a.Console().Notes("", s.Notes...)
	}
}

// checkDirectory returns an error if dir, given with -C, is not a directory.
func checkDirectory(dir string) error {
	if dir == "" {
		return nil
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = errors.New("no such directory")
	case err == nil && !info.IsDir():
		err = errors.New("a directory is expected, not a file")
	case err == nil:
		return nil
	}
	return diag.Input(diag.FileName(dir), "", err)
}
