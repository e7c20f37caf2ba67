/* Replacing and removing the values of dictionaries, and calling a function for each. */
#include "object.h"

void VaultCFDictionaryReplaceValue(
    VaultCFMutableDictionaryRef dictionary, const void *key, const void *value) {
  if (!VaultCFDictionaryContainsKey(dictionary, key)) return;
  VaultCFDictionarySetValue(dictionary, key, value);
}

void VaultCFDictionaryRemoveAllValues(VaultCFMutableDictionaryRef dictionary) {
  dictionary = mutable_object_of(dictionary, kind_dictionary);
  if (dictionary == NULL) return;
  /* Released by a dictionary of their own, since the callbacks may look into this one. */
  struct VaultCFDictionary old = *dictionary;
  dictionary->count = 0;
  dictionary->capacity = 0;
  dictionary->pairs = NULL;
  dictionary_end(&old);
}

void VaultCFDictionaryApplyFunction(
    VaultCFDictionaryRef dictionary, VaultCFDictionaryApplierFunction function, void *context) {
  dictionary = object_of(dictionary, kind_dictionary);
  if (function == NULL) return;
  for (size_t index = 0; dictionary != NULL && index < dictionary->count; index += 1) {
    function(dictionary->pairs[2 * index], dictionary->pairs[2 * index + 1], context);
  }
}
