// Program is a function of the catalogue as a program: FUNCTION names it.
package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/krm/catalog"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	list, err := krm.Parse(text)
	if err != nil {
		return err
	}
	f, ok := catalog.Find(os.Getenv("FUNCTION"), "")
	if !ok {
		return fmt.Errorf("no function %q", os.Getenv("FUNCTION"))
	}
	if err := f(context.Background(), list); err != nil {
		return err
	}
	out, err := list.Bytes()
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(out)
	return err
}
