package api

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// decodeOrdered reads an object of base64 texts. It records the order of the keys, which a Go map
// would lose.
func decodeOrdered(data []byte, order *[]OutputType, values map[OutputType][]byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	token, err := dec.Token()
	if err != nil {
		return err
	}
	if token == nil {
		return nil
	}
	if token != json.Delim('{') {
		return fmt.Errorf("outputs: an object is expected")
	}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return err
		}
		key, _ := token.(string) // keys of an object are strings
		var value []byte
		if err := dec.Decode(&value); err != nil {
			return err
		}
		if _, twice := values[OutputType(key)]; !twice {
			*order = append(*order, OutputType(key))
		}
		values[OutputType(key)] = value
	}
	return nil
}

func decodeOutput(t OutputType, data []byte) (any, error) {
	switch t {
	case OutputTypeAttributeValueList:
		return decodeAs[AttributeValueList](data)
	case OutputTypeValidationResult, OutputTypeValidationResultList:
		if bytes.HasPrefix(data, []byte("{")) { // combined results are an object, not a list
			return decodeAs[ValidationResult](data)
		}
		return decodeAs[ValidationResultList](data)
	case OutputTypeResourceInfoList:
		return decodeAs[ResourceInfoList](data)
	case OutputTypeResourceList:
		return decodeAs[ResourceList](data)
	case OutputTypeResourceMutationList:
		return decodeAs[ResourceMutationList](data)
	case OutputTypeMutationConflictList:
		return decodeAs[MutationConflictList](data)
	case OutputTypePatchMap:
		return decodeAs[PatchMap](data)
	case OutputTypeYAML:
		return decodeAs[YAMLPayload](data)
	}
	return json.RawMessage(data), nil
}

func decodeAs[T any](data []byte) (T, error) {
	var v T
	err := json.Unmarshal(data, &v)
	return v, err
}
