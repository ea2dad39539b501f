#!/bin/sh
# titles is a Smith plugin: it makes a ConfigMap with the title of its spec.
if [ "$FCTL_PLUGIN_CALL" = describe ]; then
  cat <<END
apiVersion: fctl.dev/v1
kind: PluginDescription
metadata: {name: titles}
spec:
  apiVersion: v1
  kind: ConfigMap
  schema: {type: object, properties: {title: {type: string}}, required: [title]}
END
  exit
fi
title=$(sed -n 's/^    title: //p')
if [ "$title" = later ]; then
  echo "the title is not known yet" >&2
  exit 75
fi
cat <<END
apiVersion: v1
kind: ConfigMap
data:
  title: $title
END
