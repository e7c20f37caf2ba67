/* Numbers, booleans and dates. */
#define _POSIX_C_SOURCE 200809L
#include "object.h"

#include <time.h>

VaultCFTypeID VaultCFNumberGetTypeID(void) { return kind_number; }

/* How a type is laid out. */
struct layout {
  uint8_t size;
  bool is_float;
};

static const struct layout layouts[] = {
  [kVaultCFNumberSInt8Type] = {1, false},
  [kVaultCFNumberSInt16Type] = {2, false},
  [kVaultCFNumberSInt32Type] = {4, false},
  [kVaultCFNumberSInt64Type] = {8, false},
  [kVaultCFNumberFloat32Type] = {4, true},
  [kVaultCFNumberFloat64Type] = {8, true},
  [kVaultCFNumberCharType] = {1, false},
  [kVaultCFNumberShortType] = {sizeof(short), false},
  [kVaultCFNumberIntType] = {sizeof(int), false},
  [kVaultCFNumberLongType] = {sizeof(long), false},
  [kVaultCFNumberLongLongType] = {sizeof(long long), false},
  [kVaultCFNumberFloatType] = {4, true},
  [kVaultCFNumberDoubleType] = {8, true},
  [kVaultCFNumberCFIndexType] = {sizeof(VaultCFIndex), false},
  [kVaultCFNumberNSIntegerType] = {sizeof(VaultCFIndex), false},
  [kVaultCFNumberCGFloatType] = {8, true},
};

static struct layout layout_of(VaultCFNumberType type) {
  const bool is_known = type > 0 && type < (VaultCFNumberType)(sizeof layouts / sizeof layouts[0]);
  return is_known ? layouts[type] : (struct layout){0, false};
}

static int64_t integer_at(const void *value, size_t size) {
  int8_t byte;
  int16_t two;
  int32_t four;
  int64_t eight;
  switch (size) {
    case 1: memcpy(&byte, value, 1); return byte;
    case 2: memcpy(&two, value, 2); return two;
    case 4: memcpy(&four, value, 4); return four;
    default: memcpy(&eight, value, 8); return eight;
  }
}

static double real_at(const void *value, size_t size) {
  float four;
  double eight;
  if (size == 4) {
    memcpy(&four, value, 4);
    return four;
  }
  memcpy(&eight, value, 8);
  return eight;
}

/* The nearest integer towards 0. */
static int64_t integer_of(double real) {
  if (real != real) return 0;
  if (real >= 9223372036854775808.0) return INT64_MAX;
  if (real <= -9223372036854775808.0) return INT64_MIN;
  return (int64_t)real;
}

VaultCFNumberRef VaultCFNumberCreate(
    VaultCFAllocatorRef allocator, VaultCFNumberType type, const void *value) {
  (void)allocator;
  const struct layout layout = layout_of(type);
  if (layout.size == 0 || value == NULL) return NULL;
  struct VaultCFNumber *number = object_make(sizeof *number, kind_number);
  if (number == NULL) return NULL;
  number->is_float = layout.is_float;
  number->size = layout.size;
  if (layout.is_float) {
    number->real = real_at(value, layout.size);
    number->integer = integer_of(number->real);
  } else {
    number->integer = integer_at(value, layout.size);
    number->real = (double)number->integer;
  }
  return number;
}

unsigned char VaultCFNumberGetValue(
    VaultCFNumberRef number, VaultCFNumberType type, void *value) {
  const struct layout layout = layout_of(type);
  number = object_of(number, kind_number);
  if (number == NULL || layout.size == 0 || value == NULL) return 0;
  if (layout.is_float) {
    const float four = (float)number->real;
    memcpy(value, layout.size == 4 ? (const void *)&four : &number->real, layout.size);
    const double written = real_at(value, layout.size);
    return number->is_float ? written == number->real : integer_of(written) == number->integer;
  }
  const int64_t most = layout.size == 8 ? INT64_MAX : ((int64_t)1 << (8 * layout.size - 1)) - 1;
  const int64_t least = -most - 1, whole = number->integer;
  const int64_t nearest = whole > most ? most : whole < least ? least : whole;
  const int8_t byte = (int8_t)nearest;
  const int16_t two = (int16_t)nearest;
  const int32_t four = (int32_t)nearest;
  switch (layout.size) {
    case 1: memcpy(value, &byte, 1); break;
    case 2: memcpy(value, &two, 2); break;
    case 4: memcpy(value, &four, 4); break;
    default: memcpy(value, &nearest, 8); break;
  }
  return nearest == whole && (!number->is_float || (double)whole == number->real);
}

VaultCFComparisonResult VaultCFNumberCompare(
    VaultCFNumberRef first, VaultCFNumberRef second, void *context) {
  (void)context;
  first = object_of(first, kind_number);
  second = object_of(second, kind_number);
  if (first == NULL || second == NULL) return (first != NULL) - (second != NULL);
  if (first->is_float || second->is_float) {
    return (first->real > second->real) - (first->real < second->real);
  }
  return (first->integer > second->integer) - (first->integer < second->integer);
}

VaultCFNumberType VaultCFNumberGetType(VaultCFNumberRef number) {
  number = object_of(number, kind_number);
  if (number == NULL) return 0;
  if (number->is_float) {
    return number->size == 4 ? kVaultCFNumberFloat32Type : kVaultCFNumberFloat64Type;
  }
  switch (number->size) {
    case 1: return kVaultCFNumberSInt8Type;
    case 2: return kVaultCFNumberSInt16Type;
    case 4: return kVaultCFNumberSInt32Type;
    default: return kVaultCFNumberSInt64Type;
  }
}

/* ---- Booleans ---- */

const struct VaultCFBoolean VaultCFTrue = {CONSTANT_OBJECT(kind_boolean), true};
const struct VaultCFBoolean VaultCFFalse = {CONSTANT_OBJECT(kind_boolean), false};

VaultCFTypeID VaultCFBooleanGetTypeID(void) { return kind_boolean; }

VaultCFBooleanRef VaultCFBooleanGet(unsigned char value) {
  return value != 0 ? &VaultCFTrue : &VaultCFFalse;
}

unsigned char VaultCFBooleanGetValue(VaultCFBooleanRef boolean) {
  boolean = object_of(boolean, kind_boolean);
  return boolean != NULL && boolean->value;
}

/* ---- Dates ---- */

VaultCFTypeID VaultCFDateGetTypeID(void) { return kind_date; }

VaultCFDateRef VaultCFDateCreate(VaultCFAllocatorRef allocator, VaultCFAbsoluteTime time) {
  (void)allocator;
  struct VaultCFDate *date = object_make(sizeof *date, kind_date);
  if (date != NULL) date->time = time;
  return date;
}

VaultCFAbsoluteTime VaultCFDateGetAbsoluteTime(VaultCFDateRef date) {
  date = object_of(date, kind_date);
  return date == NULL ? 0 : date->time;
}

VaultCFComparisonResult VaultCFDateCompare(
    VaultCFDateRef first, VaultCFDateRef second, void *context) {
  (void)context;
  const double one = VaultCFDateGetAbsoluteTime(first), other = VaultCFDateGetAbsoluteTime(second);
  return (one > other) - (one < other);
}

VaultCFAbsoluteTime VaultCFAbsoluteTimeGetCurrent(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  /* From 1970 to 2001. */
  return (double)now.tv_sec - 978307200.0 + (double)now.tv_nsec / 1e9;
}
