/* Measures the vault beside SQLCipher, each through its C interface, in one process and in turns.
 *
 * Usage: stores SQLCIPHER KEY_FILE FOLDER COUNT; prints rows of the table. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "store.h"

enum { ROUNDS = 15, BULKS = 5, SINGLE_ADDS = 100, MOST_LOOKUPS = 10000 };

_Noreturn void fail(const char *doing, const char *reason) {
  fprintf(stderr, "stores: error: %s: %s\n", doing, reason);
  exit(1);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static struct item item(unsigned number) {
  struct item item;
  snprintf(item.server, sizeof item.server, "git-%06u.int.example.com", number / 2);
  snprintf(item.account, sizeof item.account, "user%06u", number);
  snprintf(item.label, sizeof item.label, "Git of team %06u", number / 2);
  snprintf(item.secret, sizeof item.secret, "pw-%06u-0123456789", number);
  return item;
}

/* Items in a random order that is the same in each run. */
static struct item *shuffled(unsigned first, size_t count) {
  struct item *items = malloc(count * sizeof *items);
  unsigned long long state = 7;
  if (items == NULL) fail("items", "no memory");
  for (size_t index = 0; index < count; index++) items[index] = item(first + (unsigned)index);
  for (size_t left = count; left > 1; left--) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    size_t other = (size_t)((state >> 33) % left);
    struct item taken = items[left - 1];
    items[left - 1] = items[other];
    items[other] = taken;
  }
  return items;
}

static int compare(const void *left, const void *right) {
  double difference = *(const double *)left - *(const double *)right;
  return difference < 0 ? -1 : difference > 0;
}

/* The times of two stores, in turns, and the ratios of each pair. */
struct pairs {
  double times[2][SINGLE_ADDS], ratios[SINGLE_ADDS];
  size_t count;
};

static void note(struct pairs *pairs, double ours, double peer) {
  pairs->times[0][pairs->count] = ours;
  pairs->times[1][pairs->count] = peer;
  pairs->ratios[pairs->count++] = peer / ours;
}

static void print_time(double seconds) {
  if (seconds < 1e-3) printf(" %.2f µs |", seconds * 1e6);
  else printf(" %.2f ms |", seconds * 1e3);
}

static const char *power(size_t count) {
  static char text[24];
  if (count == 1000) return "10³";
  if (count == 10000) return "10⁴";
  if (count == 100000) return "10⁵";
  if (count == 1000000) return "10⁶";
  snprintf(text, sizeof text, "%zu", count);
  return text;
}

/* The medians, and how many times as fast ours is, with the middle half of the pairs; then how many
   times as fast it is to be, unless that is 0. The verdict is on the ratio as it is shown. */
static void print(const char *work, size_t items, struct pairs *pairs, double target) {
  size_t half = pairs->count / 2, quarter = pairs->count / 4;
  qsort(pairs->times[0], pairs->count, sizeof(double), compare);
  qsort(pairs->times[1], pairs->count, sizeof(double), compare);
  qsort(pairs->ratios, pairs->count, sizeof(double), compare);
  printf("| %s | %s |", work, power(items));
  print_time(pairs->times[0][half]);
  print_time(pairs->times[1][half]);
  printf(" %.2f × (%.2f to %.2f) |", pairs->ratios[half], pairs->ratios[quarter],
         pairs->ratios[pairs->count - 1 - quarter]);
  if (target == 0) printf(" – |\n");
  else
    printf(" ≥ %g ×: %s |\n", target,
           (long)(pairs->ratios[half] * 100 + 0.5) >= (long)(target * 100) ? "met" : "**missed**");
  fflush(stdout);
  pairs->count = 0;
}

/* Calls `measure` for both stores, once without counting. */
static void in_turns(struct pairs *pairs, int rounds, double (*measure)(int side)) {
  for (int round = -1; round < rounds; round++) {
    double ours = measure(0), peer = measure(1);
    if (round >= 0) note(pairs, ours, peer);
  }
}

static const struct store *kinds[] = {&vault_store, &raw_store};
static char paths[2][512];
static void *stores[2];
static struct item *items;
static size_t count;

static double bulk(int side) {
  if (stores[side] != NULL) kinds[side]->close(stores[side]);
  unlink(paths[side]);
  stores[side] = kinds[side]->create(paths[side]);
  double begun = now();
  kinds[side]->add_all(stores[side], items, count);
  return (now() - begun) / (double)count;
}

static double lookups(int side) {
  size_t wanted = count < MOST_LOOKUPS ? count : MOST_LOOKUPS;
  unsigned sum = 0;
  double begun = now();
  for (size_t index = 0; index < wanted; index++) sum += kinds[side]->find(stores[side], &items[index]);
  if (sum == 0) fail(kinds[side]->name, "empty secrets");
  return (now() - begun) / (double)wanted;
}

static double listing(int side) {
  double begun = now();
  if (kinds[side]->list(stores[side]) != count) fail(kinds[side]->name, "a list of another length");
  return now() - begun;
}

static double adding(int side) {
  static unsigned added[2];
  struct item new = item((unsigned)count + added[side]++);
  double begun = now();
  kinds[side]->add(stores[side], &new);
  return now() - begun;
}

static double opening(int side) {
  double begun = now();
  void *store = kinds[side]->open(paths[side]);
  if (kinds[side]->find(store, items) == 0) fail(kinds[side]->name, "an empty secret");
  double time = now() - begun;
  kinds[side]->close(store);
  return time;
}

int main(int argc, char **arguments) {
  static struct pairs pairs;
  if (argc != 5) fail("usage", "stores SQLCIPHER KEY_FILE FOLDER COUNT");
  sqlcipher_load(arguments[1]);
  vault_key_file = arguments[2];
  count = strtoul(arguments[4], NULL, 10);
  items = shuffled(0, count);
  for (int side = 0; side < 2; side++) {
    snprintf(paths[side], sizeof paths[side], "%s/%zu.%d", arguments[3], count, side);
  }
  in_turns(&pairs, BULKS, bulk);
  print("bulk add in one transaction, an item; SQLCipher", count, &pairs, 0);
  in_turns(&pairs, ROUNDS, lookups);
  print("find, warm, attributes and secret copied; SQLCipher", count, &pairs,
        count >= 100000 ? 10 : count >= 10000 ? 5 : 0);
  in_turns(&pairs, ROUNDS, listing);
  print("list, attributes copied; SQLCipher", count, &pairs, 0);
  in_turns(&pairs, SINGLE_ADDS, adding);
  print("add one, durable; SQLCipher", count, &pairs, 0);
  for (int side = 0; side < 2; side++) kinds[side]->close(stores[side]);
  in_turns(&pairs, ROUNDS, opening);
  print("open with a key, find; SQLCipher", count, &pairs, 0);

  unlink(paths[1]);
  kinds[1] = &passphrase_store;
  stores[1] = kinds[1]->create(paths[1]);
  kinds[1]->add_all(stores[1], items, 1);
  kinds[1]->close(stores[1]);
  in_turns(&pairs, ROUNDS, opening);
  print("open with a key, find; SQLCipher with a passphrase", count, &pairs, 0);
  free(items);
  return 0;
}
