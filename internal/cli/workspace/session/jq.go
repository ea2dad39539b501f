package session

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/itchyny/gojq"

	"github.com/fctl-dev/fctl/internal/diag"
)

// jqPrefix begins the output format of a jq expression.
const jqPrefix = "jq="

// compileJQ compiles the expression of -o jq=EXPR. It knows no environment and no modules.
func compileJQ(text string) (*gojq.Code, error) {
	query, err := gojq.Parse(text)
	if err == nil {
		var code *gojq.Code
		if code, err = gojq.Compile(query); err == nil {
			return code, nil
		}
	}
	return nil, diag.UsageHint("for example -o 'jq=.[].Slug'", "-o jq: %v", err)
}

// runJQ returns the results of an expression for a value, one on a line: texts as they are,
// everything else as JSON.
func runJQ(ctx context.Context, text string, value any) ([]byte, error) {
	code, err := compileJQ(text)
	if err != nil {
		return nil, err
	}
	plain, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	var input any
	d := json.NewDecoder(bytes.NewReader(plain))
	d.UseNumber() // gojq keeps large integers
	if err := d.Decode(&input); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	for results := code.RunWithContext(ctx, input); ; {
		result, ok := results.Next()
		if !ok {
			return b.Bytes(), nil
		}
		if err, failed := result.(error); failed {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			return nil, diag.Usage("-o jq: %v", err)
		}
		if line, isText := result.(string); isText {
			fmt.Fprintln(&b, line)
			continue
		}
		line, err := gojq.Marshal(result)
		if err != nil {
			return nil, err
		}
		b.Write(append(line, '\n'))
	}
}
