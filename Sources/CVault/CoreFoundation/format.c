/* Strings from formats with arguments. */
#define _GNU_SOURCE
#include "object.h"

/* One conversion: a percent sign, flags, width, precision, length and letter. */
struct conversion {
  char text[32];
  size_t count;
  /* Widths and precisions that are arguments. */
  int stars[2], star_count;
  /* As 'q' for ll and 'H' for hh. */
  char length;
  char letter;
};

/* Reads a conversion behind its percent sign; returns the bytes read, 0 for an unknown one. */
static size_t read_conversion(
    const char *start, struct conversion *conversion, va_list *arguments) {
  const char *place = start;
  *conversion = (struct conversion){.text = "%", .count = 1};
  while (*place != 0 && strchr("-+ #0123456789.*", *place) != NULL) {
    if (*place == '*') {
      if (conversion->star_count == 2) return 0;
      conversion->stars[conversion->star_count] = va_arg(*arguments, int);
      conversion->star_count += 1;
    }
    if (conversion->count > 20) return 0;
    conversion->text[conversion->count++] = *place++;
  }
  const bool is_doubled = (place[0] == 'l' || place[0] == 'h') && place[1] == place[0];
  if (*place != 0 && strchr("hlqzjt", *place) != NULL) {
    conversion->length = is_doubled ? (place[0] == 'l' ? 'q' : 'H') : *place;
    place += is_doubled ? 2 : 1;
  }
  conversion->letter = *place;
  return *place == 0 ? 0 : (size_t)(place - start) + 1;
}

static void print_integer(
    struct text *text, struct conversion *conversion, bool is_signed, va_list *arguments) {
  long long value;
  switch (conversion->length) {
    case 'l':
    case 'z':
    case 't': value = va_arg(*arguments, long); break;
    case 'j':
    case 'q': value = va_arg(*arguments, long long); break;
    default:
      value = va_arg(*arguments, int);
      if (conversion->length == 'h') value = is_signed ? (short)value : (unsigned short)value;
      if (conversion->length == 'H') value = is_signed ? (signed char)value : (unsigned char)value;
      if (!is_signed) value = (unsigned)value;
      break;
  }
  memcpy(conversion->text + conversion->count, "ll", 2);
  conversion->text[conversion->count + 2] = conversion->letter;
  const int *stars = conversion->stars;
  switch (conversion->star_count) {
    case 0: text_print(text, conversion->text, value); break;
    case 1: text_print(text, conversion->text, stars[0], value); break;
    default: text_print(text, conversion->text, stars[0], stars[1], value); break;
  }
}

static void print_real(struct text *text, struct conversion *conversion, double value) {
  conversion->text[conversion->count] = conversion->letter;
  const int *stars = conversion->stars;
  switch (conversion->star_count) {
    case 0: text_print(text, conversion->text, value); break;
    case 1: text_print(text, conversion->text, stars[0], value); break;
    default: text_print(text, conversion->text, stars[0], stars[1], value); break;
  }
}

static void print_string(struct text *text, struct conversion *conversion, const char *value) {
  conversion->text[conversion->count] = 's';
  const int *stars = conversion->stars;
  if (value == NULL) value = "(null)";
  switch (conversion->star_count) {
    case 0: text_print(text, conversion->text, value); break;
    case 1: text_print(text, conversion->text, stars[0], value); break;
    default: text_print(text, conversion->text, stars[0], stars[1], value); break;
  }
}

/* Adds one conversion; false for an unknown one. */
static bool print(struct text *text, struct conversion *conversion, va_list *arguments) {
  switch (conversion->letter) {
    case '%': text_add(text, "%", 1); return true;
    case '@': describe(text, va_arg(*arguments, const void *), 0); return true;
    case 'd':
    case 'i': print_integer(text, conversion, true, arguments); return true;
    case 'u':
    case 'x':
    case 'X':
    case 'o': print_integer(text, conversion, false, arguments); return true;
    case 'c': {
      const char letter = (char)va_arg(*arguments, int);
      text_add(text, &letter, 1);
      return true;
    }
    case 's': print_string(text, conversion, va_arg(*arguments, const char *)); return true;
    case 'p': text_print(text, "%p", va_arg(*arguments, void *)); return true;
    case 'e':
    case 'f':
    case 'g': print_real(text, conversion, va_arg(*arguments, double)); return true;
    default: return false;
  }
}

bool text_format(struct text *text, VaultCFStringRef format, va_list *arguments) {
  const char *place = format->bytes;
  while (*place != 0) {
    const char *end = strchrnul(place, '%');
    text_add(text, place, (size_t)(end - place));
    place = end;
    if (*place == 0) break;
    struct conversion conversion;
    const size_t count = read_conversion(place + 1, &conversion, arguments);
    if (count == 0 || !print(text, &conversion, arguments)) return false;
    place += count + 1;
  }
  return true;
}

VaultCFStringRef VaultCFStringCreateWithFormat(
    VaultCFAllocatorRef allocator, VaultCFDictionaryRef options, VaultCFStringRef format, ...) {
  (void)allocator;
  (void)options;
  format = object_of(format, kind_string);
  if (format == NULL) return NULL;
  struct text text = {0};
  va_list arguments;
  va_start(arguments, format);
  const bool is_known = text_format(&text, format, &arguments);
  va_end(arguments);
  VaultCFStringRef string = text_end(&text);
  if (is_known) return string;
  VaultCFRelease(string);
  return NULL;
}
