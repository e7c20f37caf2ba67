/* Dictionaries. */
#include "object.h"

VaultCFTypeID VaultCFDictionaryGetTypeID(void) { return kind_dictionary; }

static struct VaultCFDictionary *make(
    const VaultCFDictionaryKeyCallBacks *keys, const VaultCFDictionaryValueCallBacks *values) {
  struct VaultCFDictionary *dictionary = object_make(sizeof *dictionary, kind_dictionary);
  if (dictionary == NULL) return NULL;
  if (keys != NULL) dictionary->key_callbacks = *keys;
  if (values != NULL) dictionary->value_callbacks = *values;
  return dictionary;
}

/* Returns the index of a key among the pairs; the count if it is not there. */
static size_t find(const struct VaultCFDictionary *dictionary, const void *key) {
  const VaultCFEqualFunction equal = dictionary->key_callbacks.equal;
  for (size_t index = 0; index < dictionary->count; index += 1) {
    const void *known = dictionary->pairs[2 * index];
    if (known == key || (equal != NULL && equal(known, key))) return index;
  }
  return dictionary->count;
}

static bool grow(struct VaultCFDictionary *dictionary) {
  if (dictionary->count < dictionary->capacity) return true;
  const size_t capacity = 2 * dictionary->capacity + 8;
  const void **pairs = realloc(dictionary->pairs, 2 * capacity * sizeof *pairs);
  if (pairs == NULL) return false;
  dictionary->pairs = pairs;
  dictionary->capacity = capacity;
  return true;
}

static const void *retained(VaultCFRetainFunction retain, const void *value) {
  return retain == NULL ? value : retain(NULL, value);
}

static bool add(struct VaultCFDictionary *dictionary, const void *key, const void *value) {
  if (!grow(dictionary)) return false;
  const size_t place = 2 * dictionary->count;
  dictionary->pairs[place] = retained(dictionary->key_callbacks.retain, key);
  dictionary->pairs[place + 1] = retained(dictionary->value_callbacks.retain, value);
  dictionary->count += 1;
  return true;
}

VaultCFDictionaryRef VaultCFDictionaryCreate(
    VaultCFAllocatorRef allocator, const void **keys, const void **values, VaultCFIndex count,
    const VaultCFDictionaryKeyCallBacks *key_callbacks,
    const VaultCFDictionaryValueCallBacks *value_callbacks) {
  (void)allocator;
  if (count < 0 || ((keys == NULL || values == NULL) && count > 0)) return NULL;
  struct VaultCFDictionary *dictionary = make(key_callbacks, value_callbacks);
  for (VaultCFIndex index = 0; dictionary != NULL && index < count; index += 1) {
    if (find(dictionary, keys[index]) < dictionary->count) continue;
    if (add(dictionary, keys[index], values[index])) continue;
    VaultCFRelease(dictionary);
    return NULL;
  }
  return dictionary;
}

static struct VaultCFDictionary *copy(const struct VaultCFDictionary *dictionary) {
  struct VaultCFDictionary *made =
      make(&dictionary->key_callbacks, &dictionary->value_callbacks);
  for (size_t index = 0; made != NULL && index < dictionary->count; index += 1) {
    if (add(made, dictionary->pairs[2 * index], dictionary->pairs[2 * index + 1])) continue;
    VaultCFRelease(made);
    return NULL;
  }
  return made;
}

VaultCFDictionaryRef VaultCFDictionaryCreateCopy(
    VaultCFAllocatorRef allocator, VaultCFDictionaryRef dictionary) {
  (void)allocator;
  dictionary = object_of(dictionary, kind_dictionary);
  if (dictionary == NULL) return NULL;
  return dictionary->object.is_mutable ? copy(dictionary) : VaultCFRetain(dictionary);
}

VaultCFMutableDictionaryRef VaultCFDictionaryCreateMutable(
    VaultCFAllocatorRef allocator, VaultCFIndex capacity,
    const VaultCFDictionaryKeyCallBacks *key_callbacks,
    const VaultCFDictionaryValueCallBacks *value_callbacks) {
  (void)allocator;
  (void)capacity;
  struct VaultCFDictionary *dictionary = make(key_callbacks, value_callbacks);
  if (dictionary != NULL) dictionary->object.is_mutable = true;
  return dictionary;
}

VaultCFMutableDictionaryRef VaultCFDictionaryCreateMutableCopy(
    VaultCFAllocatorRef allocator, VaultCFIndex capacity, VaultCFDictionaryRef dictionary) {
  (void)allocator;
  (void)capacity;
  dictionary = object_of(dictionary, kind_dictionary);
  struct VaultCFDictionary *made = dictionary == NULL ? NULL : copy(dictionary);
  if (made != NULL) made->object.is_mutable = true;
  return made;
}

void VaultCFDictionaryAddValue(
    VaultCFMutableDictionaryRef dictionary, const void *key, const void *value) {
  dictionary = mutable_object_of(dictionary, kind_dictionary);
  if (dictionary == NULL || find(dictionary, key) < dictionary->count) return;
  (void)add(dictionary, key, value);
}

static void give_up(VaultCFReleaseFunction release, const void *value) {
  if (release != NULL) release(NULL, value);
}

void VaultCFDictionarySetValue(
    VaultCFMutableDictionaryRef dictionary, const void *key, const void *value) {
  dictionary = mutable_object_of(dictionary, kind_dictionary);
  if (dictionary == NULL) return;
  const size_t index = find(dictionary, key);
  if (index == dictionary->count) {
    (void)add(dictionary, key, value);
    return;
  }
  /* Retained before the old one is released: it may be the same. */
  const void *new_value = retained(dictionary->value_callbacks.retain, value);
  const void *old_value = dictionary->pairs[2 * index + 1];
  dictionary->pairs[2 * index + 1] = new_value;
  give_up(dictionary->value_callbacks.release, old_value);
}

void VaultCFDictionaryRemoveValue(VaultCFMutableDictionaryRef dictionary, const void *key) {
  dictionary = mutable_object_of(dictionary, kind_dictionary);
  if (dictionary == NULL) return;
  const size_t index = find(dictionary, key);
  if (index == dictionary->count) return;
  const void *old_key = dictionary->pairs[2 * index];
  const void *old_value = dictionary->pairs[2 * index + 1];
  const void **place = dictionary->pairs + 2 * index;
  dictionary->count -= 1;
  memmove(place, place + 2, 2 * (dictionary->count - index) * sizeof *place);
  give_up(dictionary->key_callbacks.release, old_key);
  give_up(dictionary->value_callbacks.release, old_value);
}

VaultCFIndex VaultCFDictionaryGetCount(VaultCFDictionaryRef dictionary) {
  dictionary = object_of(dictionary, kind_dictionary);
  return dictionary == NULL ? 0 : (VaultCFIndex)dictionary->count;
}

unsigned char VaultCFDictionaryContainsKey(VaultCFDictionaryRef dictionary, const void *key) {
  return VaultCFDictionaryGetValueIfPresent(dictionary, key, NULL);
}

const void *VaultCFDictionaryGetValue(VaultCFDictionaryRef dictionary, const void *key) {
  const void *value = NULL;
  (void)VaultCFDictionaryGetValueIfPresent(dictionary, key, &value);
  return value;
}

unsigned char VaultCFDictionaryGetValueIfPresent(
    VaultCFDictionaryRef dictionary, const void *key, const void **value) {
  dictionary = object_of(dictionary, kind_dictionary);
  if (dictionary == NULL) return 0;
  const size_t index = find(dictionary, key);
  if (index == dictionary->count) return 0;
  if (value != NULL) *value = dictionary->pairs[2 * index + 1];
  return 1;
}

void VaultCFDictionaryGetKeysAndValues(
    VaultCFDictionaryRef dictionary, const void **keys, const void **values) {
  dictionary = object_of(dictionary, kind_dictionary);
  for (size_t index = 0; dictionary != NULL && index < dictionary->count; index += 1) {
    if (keys != NULL) keys[index] = dictionary->pairs[2 * index];
    if (values != NULL) values[index] = dictionary->pairs[2 * index + 1];
  }
}

void dictionary_end(struct VaultCFDictionary *dictionary) {
  for (size_t index = 0; index < dictionary->count; index += 1) {
    give_up(dictionary->key_callbacks.release, dictionary->pairs[2 * index]);
    give_up(dictionary->value_callbacks.release, dictionary->pairs[2 * index + 1]);
  }
  free(dictionary->pairs);
}

bool dictionary_equal(
    const struct VaultCFDictionary *first, const struct VaultCFDictionary *second) {
  if (first->count != second->count) return false;
  const VaultCFEqualFunction equal = first->value_callbacks.equal;
  for (size_t index = 0; index < first->count; index += 1) {
    const size_t place = find(second, first->pairs[2 * index]);
    if (place == second->count) return false;
    const void *one = first->pairs[2 * index + 1], *other = second->pairs[2 * place + 1];
    if (one != other && (equal == NULL || !equal(one, other))) return false;
  }
  return true;
}
