package appconfig

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions/handler"
)

const (
	parameterImmutable  = "immutable"
	parameterAsKeyValue = "as-key-value"
	parameterFileName   = "file-name"

	// These are the forms of a ConfigMap's data, which depend on how it is referred to: as
	// variables or as a file.
	formatKeyValue = "KeyValue"
	formatFile     = "File"

	// block holds data about the file, which is not part of the configuration.
	block       = "configHub"
	annotations = "metadata.annotations.confighub~1com/"
	// configMapName and configMapKey match what the API server accepts.
	configMapName = `^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$`
	configMapKey  = `^[-._a-zA-Z0-9]{1,253}$`
	// maxConfigMap is the limit of the API server, in bytes.
	maxConfigMap = 1 << 20
)

// emptyConfigMap is the template that is filled in. Its quoting styles are kept.
const emptyConfigMap = `apiVersion: v1
kind: ConfigMap
metadata:
  name: app
  namespace: confighubplaceholder
  annotations:
    confighub.com/ResourceNameStableCore: app
    confighub.com/ConfigMapFormat: File
    confighub.com/Hash: hash
    confighub.com/RenderRevision: Latest
immutable: true
`

// renderConfigMapFunction returns render-configmap.
func renderConfigMapFunction(
	converter configkit.ConfigConverter, provider configkit.ResourceProvider,
) handler.FunctionRegistration {
	isName := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(configMapName) })
	isKey := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(configMapKey) })
	return handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "render-configmap",
			Parameters: []api.FunctionParameter{
				{
					ParameterName: parameterImmutable, DataType: api.DataTypeBool, Example: "true",
					Description: "whether the ConfigMap is immutable, with a hash of the text at " +
						"the end of its name; if not given, it is not",
				},
				{
					ParameterName: parameterAsKeyValue, DataType: api.DataTypeBool, Example: "true",
					Description: "whether each value is an entry of the ConfigMap, as for " +
						"environment variables; if not given, the file is its one entry",
				},
				{
					ParameterName: parameterFileName, DataType: api.DataTypeString,
					Example: "application.properties",
					Description: "the key of the file in the ConfigMap; if not given, the " +
						"name of the unit with the extension of its format",
					ValueConstraints: api.ValueConstraints{Regexp: configMapKey},
				},
			},
			OutputInfo: &api.FunctionOutput{
				ResultName: "configmap", Description: "the ConfigMap, named as the unit",
				OutputType: api.OutputTypeYAML,
			},
			Hermetic: true, Idempotent: true,
			Description: "Get a ConfigMap that holds the configuration, as a file or value by " +
				"value, without its " +
				block + " block",
			FunctionType: api.FunctionTypeCustom,
			Examples: []string{
				"render-configmap", "render-configmap true true",
				"render-configmap --file-name=application.properties",
			},
		},
		Function: handler.Reads(func(c *handler.Call) (any, error) {
			r := renderer{
				converter: converter, provider: provider, unit: c.UnitSlug, arguments: c.Args,
				isName: isName, isKey: isKey,
			}
			payload, err := r.render(c.Docs)
			if err != nil || payload == "" {
				return nil, err
			}
			c.Matched(len(c.Docs))
			return api.YAMLPayload{Payload: payload}, nil
		}),
	}
}

// renderer turns the documents of a unit into a ConfigMap.
type renderer struct {
	converter configkit.ConfigConverter
	provider  configkit.ResourceProvider
	unit      string
	arguments handler.Arguments
	// The compiled configMapName and configMapKey.
	isName, isKey func() *regexp.Regexp
}

// render returns the text of the ConfigMap, or "" if there are no documents.
func (r *renderer) render(docs gaby.Container) (string, error) {
	if len(docs) == 0 {
		return "", nil
	}
	if !r.isName().MatchString(r.unit) {
		return "", fmt.Errorf(
			"a ConfigMap cannot be named %q, as the unit is: names are lower-case letters, "+
				"digits, - and dots",
			r.unit,
		)
	}
	text, stripped, err := r.stripped(docs)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	hash := hex.EncodeToString(sum[:])[:10]
	data, format := []configMapEntry{{r.fileName(), string(text)}}, formatFile
	if r.arguments.Bool(parameterAsKeyValue) {
		format = formatKeyValue
		if data, err = r.values(stripped); err != nil {
			return "", err
		}
	}
	size := 0
	for _, e := range data {
		size += len(e.key) + len(e.value)
	}
	if size > maxConfigMap {
		return "", fmt.Errorf(
			"the configuration has %d bytes, a ConfigMap can hold %d", size, maxConfigMap,
		)
	}
	return r.configMap(hash, format, data)
}

// stripped returns the configuration without the block about the file, as text and as documents. It
// does not modify docs.
func (r *renderer) stripped(docs gaby.Container) ([]byte, gaby.Container, error) {
	text, err := r.converter.DocumentsToNative(docs)
	if err != nil {
		return nil, nil, err
	}
	copies, err := r.converter.NativeToDocuments(text)
	if err != nil {
		return nil, nil, err
	}
	for _, doc := range copies {
		if doc.Search(block) == nil {
			continue
		}
		if err := doc.Delete(block); err != nil {
			return nil, nil, err
		}
	}
	given := text
	text, err = r.converter.DocumentsToNative(copies)
	if r.provider.ToolchainType() != api.ToolchainAppConfigText &&
		!bytes.HasPrefix(given, []byte("\n")) {
		text = bytes.TrimLeft(text, "\r\n") // blank lines that followed the block
	}
	return text, copies, err
}

// fileName returns the key of the ConfigMap entry that holds the file.
func (r *renderer) fileName() string {
	if name := r.arguments.String(parameterFileName); name != "" {
		return name
	}
	extension := strings.ToLower(path.Base(string(r.provider.ToolchainType())))
	if extension == "text" {
		extension = "txt"
	}
	return r.unit + "." + extension
}

// configMapEntry is an entry of a ConfigMap's data.
type configMapEntry struct{ key, value string }

// values returns the scalars of the documents, with their paths as keys.
func (r *renderer) values(docs gaby.Container) ([]configMapEntry, error) {
	var entries []configMapEntry
	at := map[string]bool{}
	var add func(key string, v gaby.Value) error
	add = func(key string, v gaby.Value) error {
		switch v.Kind() {
		case gaby.Scalar:
			pos := v.Position()
			if at[key] {
				return &gaby.EditError{
					Pos: pos, Path: key, Msg: "there are two values for one key of the ConfigMap",
				}
			}
			at[key] = true
			if !r.isKey().MatchString(key) {
				return &gaby.EditError{
					Pos: pos, Path: key, Msg: fmt.Sprintf("%q cannot be a key of a ConfigMap", key),
					Hint: "keys are letters, digits, -, _ and dots; without " +
						parameterAsKeyValue + " the file is one entry",
				}
			}
			e := configMapEntry{key: key}
			if v.Data() != nil {
				e.value = v.Text()
			}
			entries = append(entries, e)
			return nil
		case gaby.List:
			for i, item := range v.All() {
				if err := add(strings.TrimPrefix(key+"."+strconv.Itoa(i), "."), item); err != nil {
					return err
				}
			}
			return nil
		}
		for _, kid := range v.All() {
			if v.Get(kid.Key()) != kid {
				continue // of repeated keys, the last one counts
			}
			if err := add(strings.TrimPrefix(key+"."+kid.Key(), "."), kid); err != nil {
				return err
			}
		}
		return nil
	}
	for _, doc := range docs {
		if err := add("", doc.Value()); err != nil {
			return nil, err
		}
	}
	return entries, nil
}

// configMap returns the text of the ConfigMap. hash is the hash of the configuration.
func (r *renderer) configMap(hash, format string, data []configMapEntry) (string, error) {
	doc, err := gaby.ParseYAML([]byte(emptyConfigMap))
	if err != nil {
		return "", err
	}
	name := r.unit
	if r.arguments.Bool(parameterImmutable) {
		name += "-" + hash
	} else if err := doc.Delete("immutable"); err != nil {
		return "", err
	}
	for _, e := range []configMapEntry{
		{"metadata.name", name},
		{annotations + "ResourceNameStableCore", r.unit},
		{annotations + "ConfigMapFormat", format},
		{annotations + "Hash", hash},
	} {
		if _, err := doc.SetP(e.value, e.key); err != nil {
			return "", err
		}
	}
	set := func(value func(configMapEntry) string) error {
		for _, e := range data {
			if _, err := doc.Set(value(e), "data", e.key); err != nil {
				return err
			}
		}
		return nil
	}
	// All values are to be quoted. Set them to "" first: that is written with quotes, and edits
	// keep the style.
	if format == formatKeyValue {
		if err := set(func(configMapEntry) string { return "" }); err != nil {
			return "", err
		}
		if doc, err = gaby.ParseYAML(doc.Bytes()); err != nil {
			return "", err
		}
	}
	if err := set(func(e configMapEntry) string { return e.value }); err != nil {
		return "", err
	}
	return string(doc.Bytes()), nil
}
