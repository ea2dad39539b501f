// Command function is the function of the tests. "function catalog NAME" runs a function of the
// catalogue, the same code that runs in the process of a runner. "function test" does what its
// functionConfig, a ConfigMap, says:
//
//	sleep: 2s         waits
//	count: FILE       appends a line to a file
//	fail: message     ends with status 1 and a result
//	pad: "1000"       adds an annotation of so many bytes
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/krm/catalog"
	"github.com/fctl-dev/fctl/internal/krm/fnresult"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 1 && args[0] == "pause" { // the container that holds the network of a pod
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
		defer stop()
		<-ctx.Done()
		return nil
	}
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	f := krm.Function(test)
	if len(args) == 2 && args[0] == "catalog" {
		found, ok := catalog.Find(args[1], "")
		if !ok {
			return fmt.Errorf("the catalogue has no %s", args[1])
		}
		f = found
	}
	list, failed := krm.Apply(context.Background(), f, text)
	if list == nil {
		return failed
	}
	out, err := list.Bytes()
	if err == nil {
		_, err = os.Stdout.Write(out)
	}
	return errors.Join(failed, err)
}

func test(_ context.Context, list *krm.ResourceList) error {
	data := func(key string) string {
		if list.FunctionConfig == nil {
			return ""
		}
		return list.FunctionConfig.Value().Get("data").Get(key).Text()
	}
	if file := data("count"); file != "" {
		f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintln(f, "run"); err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	if wait := data("sleep"); wait != "" {
		d, err := time.ParseDuration(wait)
		if err != nil {
			return err
		}
		time.Sleep(d)
	}
	fmt.Fprintln(os.Stderr, "worked on", len(list.Items), "items")
	if pad, _ := strconv.Atoi(data("pad")); pad > 0 {
		for _, item := range list.Items {
			_, err := item.Doc.Set(strings.Repeat("x", pad), "metadata", "annotations", "pad")
			if err != nil {
				return err
			}
		}
	}
	if message := data("fail"); message != "" {
		list.Results = append(list.Results, fnresult.Result{
			Message: message, Severity: fnresult.SeverityError,
		})
		return errors.New(message)
	}
	return nil
}
