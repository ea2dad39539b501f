package resolve

import (
	"bytes"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// metadataBlock is the block of an application's configuration that says which file it is. It is
// not part of the configuration.
const metadataBlock = "configHub"

// insert resolves an Insert link: the text of the upstream unit becomes the value of one field.
func (r *resolver) insert(l *entity.Link) error {
	text, version, err := r.insertedText(l)
	if err != nil {
		return err
	}
	if len(l.Bindings) != 1 || l.Bindings[0].NeededResource == nil {
		return r.problem(l, entity.CodeBindingCount,
			"an Insert link has exactly one binding, with a resource")
	}
	b := &l.Bindings[0]
	docs, err := r.documents()
	if err != nil {
		return err
	}
	target, err := r.oneResource(l, docs, referenceTo(b.NeededResource))
	if err != nil {
		return err
	}
	compiled, err := yamlpath.Parse(b.NeededPath)
	if err != nil {
		return r.problem(l, entity.CodePathNotFound, "%w", err)
	}
	found, err := target.scalars(compiled, b.NeededPath)
	if err != nil {
		return r.at(l, &target.info, b.NeededPath, err)
	}
	for _, at := range found {
		if sameScalar(at.value, text) {
			continue
		}
		if now := at.value.Text(); l.WrittenHash != "" && at.value.Exists() &&
			api.DataHash([]byte(now)) != l.WrittenHash {
			r.warn(l, entity.WarnOverridden, &target.info, b.NeededPath,
				"the edited value of %s is overwritten", b.NeededPath)
		}
		if _, err := target.doc.Set(text, at.segments...); err != nil {
			return err
		}
	}
	if _, err := r.commit(docs, cause{link: l}); err != nil {
		return err
	}
	r.succeed(l, version).WrittenHash = api.DataHash([]byte(text))
	return nil
}

// insertedText returns the text that an Insert link writes: the upstream data byte for byte, or the
// documents that its filter selects.
func (r *resolver) insertedText(l *entity.Link) (string, int64, error) {
	up, err := r.upstreamOf(l)
	if err != nil {
		return "", 0, err
	}
	data, version, err := r.dataOf(l, up)
	if err != nil {
		return "", 0, err
	}
	if l.WhereResource != "" || l.InsertStripMetadata {
		f, err := formatOf(r.in.Executor, up.ToolchainType)
		if err != nil {
			return "", 0, err
		}
		docs, err := r.filtered(l, f, data)
		if err == nil && l.InsertStripMetadata {
			err = stripMetadata(docs)
		}
		if err != nil {
			return "", 0, err
		}
		had := data
		if data, err = f.converter.DocumentsToNative(docs); err != nil {
			return "", 0, err
		}
		if l.InsertStripMetadata && !bytes.HasPrefix(had, []byte("\n")) {
			data = bytes.TrimLeft(data, "\r\n") // the blank lines after the block
		}
	}
	if !utf8.Valid(data) {
		return "", 0, r.problem(l, entity.CodeParse, "unit %s is not UTF-8 text", r.nameOf(up.UnitID))
	}
	return string(data), version, nil
}

// stripMetadata removes the metadata block of each document.
func stripMetadata(docs gaby.Container) error {
	for _, doc := range docs {
		if !doc.Exists(metadataBlock) {
			continue
		}
		if err := doc.Delete(metadataBlock); err != nil {
			return err
		}
	}
	return nil
}

// oneResource returns the one resource of the unit that a reference means.
func (r *resolver) oneResource(
	l *entity.Link, docs gaby.Container, ref entity.ResourceReference,
) (*resource, error) {
	all, err := r.resources(docs)
	if err != nil {
		return nil, err
	}
	found := selectResources(all, ref)
	switch len(found) {
	case 1:
		return &found[0], nil
	case 0:
		var names []string
		for i := range all {
			if all[i].info.ResourceType == ref.ResourceType {
				names = append(names, string(all[i].info.ResourceName))
			}
		}
		return nil, r.problem(l, entity.CodeResourceNotFound, "the unit has no resource %s",
			refText(ref)).
			WithHint(configkit.DidYouMean("", configkit.Suggest(string(ref.ResourceName), names)))
	}
	return nil, r.problem(l, entity.CodeAmbiguous, "the unit has %d resources %s", len(found),
		refText(ref))
}
