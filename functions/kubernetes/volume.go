package kubernetes

import (
	"fmt"
	"strconv"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions/generic"
	"github.com/fctl-dev/fctl/functions/handler"
)

const (
	parameterVolumeName   = "volume-name"
	parameterVolumePath   = "volume-path"
	parameterVolumeSource = "volume-source"

	sourceEmptyDir              = "emptyDir"
	sourceConfigMap             = "configMap"
	sourceSecret                = "secret"
	sourcePersistentVolumeClaim = "persistentVolumeClaim"
)

func setVolumeMountFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return handler.Editing(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "set-container-volume-mount-path",
			Parameters: []api.FunctionParameter{
				containerNameParameter(provider),
				textParameter(parameterVolumeName, "cache", "name of the volume", dnsLabel),
				textParameter(parameterVolumePath, "/var/cache/web",
					"path in the container at which the volume is mounted",
					`^(?:/|[A-Za-z]:[\\/])[^:]*$`),
				optional(enumParameter(parameterVolumeSource, sourceEmptyDir,
					"kind of the volume's source, whose name, if it has one, is the placeholder "+
						generic.PlaceholderString+
						" at first; if not given, the volume must exist",
					sourceEmptyDir, sourceConfigMap, sourceSecret, sourcePersistentVolumeClaim)),
			},
			Description: "Set the path at which containers mount a volume, adding the mount, and " +
				"the volume if its source is given",
			Examples: []string{
				"set-container-volume-mount-path web cache /var/cache/web emptyDir",
				"set-container-volume-mount-path web settings /etc/web configMap",
			},
		},
		ValueParameter: parameterVolumeName,
		Paths:          inContainers(provider, "volumeMounts"),
	}, func(c *handler.Call) (int, error) {
		m := mount{
			volume: c.Args.String(parameterVolumeName), path: c.Args.String(parameterVolumePath),
			source: c.Args.String(parameterVolumeSource),
		}
		name := c.Args.String(parameterContainerName)
		matches, err := editContainers(c.Docs, provider, name, m.set)
		if matches == 0 && err == nil && len(c.Docs) > 0 && name != "*" {
			err = fmt.Errorf("container %s not found", configkit.Abbreviate(name))
		}
		return matches, err
	})
}

// mount is a volume that a container is to mount.
type mount struct {
	volume, path string
	source       string // kind of the volume's source; if "", the volume must exist
}

// set mounts the volume in a container, and adds the volume to the pod if its source is given. If
// the container mounts the volume once already, only the path of the mount changes.
func (m *mount) set(c *container) error {
	if err := m.setVolume(c); err != nil {
		return err
	}
	var mounts []int // indexes of the mounts of the volume
	for index, e := range c.value.Get("volumeMounts").All() {
		isVolume, isPath := e.Get("name").EqualText(m.volume), e.Get("mountPath").EqualText(m.path)
		switch {
		case isVolume && isPath:
			return nil
		case isPath:
			return editError(e, c.at("volumeMounts", strconv.Itoa(index)), "",
				"volume %s is mounted at %s already", e.Get("name").Text(), m.path)
		case isVolume:
			mounts = append(mounts, index)
		}
	}
	switch len(mounts) {
	case 0:
		entry, err := orderedMap("name", m.volume, "mountPath", m.path)
		if err != nil {
			return err
		}
		return appendTo(c.doc, entry, c.at("volumeMounts")...)
	case 1:
		_, err := c.doc.Set(m.path, c.at("volumeMounts", strconv.Itoa(mounts[0]), "mountPath")...)
		return err
	}
	return editError(c.value.Get("volumeMounts"), c.at("volumeMounts"),
		"set-string-path sets the mountPath of one of them",
		"volume %s is mounted %d times, which of them is meant is not known", m.volume, len(mounts))
}

// setVolume adds the volume to the pod, or gives it the requested source.
func (m *mount) setVolume(c *container) error {
	volumes := append(c.segments[:len(c.segments)-2:len(c.segments)-2], "volumes")
	for index, e := range c.doc.Search(volumes...).Value().All() {
		if !e.Get("name").EqualText(m.volume) {
			continue
		}
		if m.source == "" || e.Get(m.source).Exists() {
			return nil
		}
		_, err := c.doc.Set(map[string]any{"name": m.volume, m.source: m.sourceValue()},
			append(volumes, strconv.Itoa(index))...)
		return err
	}
	if claimed, ok := m.claimTemplate(c.doc); ok {
		if m.source == "" || m.source == sourcePersistentVolumeClaim {
			return nil
		}
		return editError(claimed, []string{"spec", "volumeClaimTemplates"}, "",
			"volume %s is that of a claim template, it cannot be of kind %s", m.volume, m.source)
	}
	if m.source == "" {
		return editError(c.value, volumes, "", "volume %s does not exist and %s was not specified",
			m.volume, parameterVolumeSource)
	}
	entry, err := orderedMap("name", m.volume, m.source, m.sourceValue())
	if err != nil {
		return err
	}
	return appendTo(c.doc, entry, volumes...)
}

// claimTemplate returns the name of the claim template from which a StatefulSet creates the volume.
func (m *mount) claimTemplate(doc *gaby.YamlDoc) (gaby.Value, bool) {
	for _, e := range doc.Search("spec", "volumeClaimTemplates").Value().All() {
		if name := e.Get("metadata").Get("name"); name.EqualText(m.volume) {
			return name, true
		}
	}
	return gaby.Value{}, false
}

// sourceValue returns a volume source of the requested kind with placeholders.
func (m *mount) sourceValue() map[string]any {
	name := map[string]string{
		sourceConfigMap: "name", sourceSecret: "secretName",
		sourcePersistentVolumeClaim: "claimName",
	}[m.source]
	if name == "" {
		return map[string]any{}
	}
	return map[string]any{name: generic.PlaceholderString}
}
