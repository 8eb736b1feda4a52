// Sort keys of strings by ICU, which is loaded on first use: the build needs none of its headers, and programs that sort
// in no language never load it.
#define _GNU_SOURCE
#include "CShims.h"
#include "loading.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Of UErrorCode: above 0 are failures, below it warnings.
typedef int32_t icu_status;
enum { NOT_TERMINATED = -124, MISSING_RESOURCE = 2, VALID_LOCALE = 1 };

static struct {
    void (*version)(uint8_t *);
    int32_t (*tag_to_locale)(const char *, char *, int32_t, int32_t *, icu_status *);
    void *(*orders)(const char *, const char *, int8_t, icu_status *);
    const char *(*next)(void *, int32_t *, icu_status *);
    void (*close_list)(void *);
    uint16_t *(*utf16)(uint16_t *, int32_t, int32_t *, const char *, int32_t, int32_t, int32_t *, icu_status *);
    void *(*open)(const char *, icu_status *);
    void (*close)(void *);
    const char *(*locale_of)(const void *, int, icu_status *);
    void (*collator_version)(const void *, uint8_t *);
    int32_t (*sort_key)(const void *, const uint16_t *, int32_t, uint8_t *, int32_t);
} icu;

static int load_result = FREEHOLD_SHIM_NO_COLLATION;

// Loads the newest version there is. Its names end with the version: libicui18n.so.72 has ucol_open_72. Builds without
// versions in their names have a plain ucol_open, as has the library of macOS.
static void load(void) {
    enum { NEWEST = 99, OLDEST = 60 };
    const struct loaded_symbol symbols[] = {
        {"u_getVersion", &icu.version},
        {"uloc_forLanguageTag", &icu.tag_to_locale},
        {"ucol_getKeywordValuesForLocale", &icu.orders},
        {"uenum_next", &icu.next},
        {"uenum_close", &icu.close_list},
        {"u_strFromUTF8WithSub", &icu.utf16},
        {"ucol_open", &icu.open},
        {"ucol_close", &icu.close},
        {"ucol_getLocaleByType", &icu.locale_of},
        {"ucol_getVersion", &icu.collator_version},
        {"ucol_getSortKey", &icu.sort_key},
    };
    const size_t count = sizeof symbols / sizeof *symbols;
    for (int number = NEWEST; number >= OLDEST; number--) {
        char name[32], suffix[8];
        snprintf(name, sizeof name, "libicui18n.so.%d", number);
        snprintf(suffix, sizeof suffix, "_%d", number);
        // Its dependencies, among them libicuuc, are searched for symbols too.
        void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        if (!handle) continue;
        if (find_symbols(handle, suffix, symbols, count) || find_symbols(handle, "", symbols, count)) {
            load_result = 0;
            return;
        }
        dlclose(handle);
    }
    static const char *const plain[] = {"libicucore.A.dylib", "libicui18n.so"};
    if (load_first(plain, sizeof plain / sizeof *plain, symbols, count) == 0) load_result = 0;
}

// Whether ICU has the order that a locale asks for by "collation=": of others it takes the language's usual one.
static int has_order(const char *locale) {
    static const char keyword[] = "collation=";
    const char *wanted = strchr(locale, '@');
    wanted = wanted ? strstr(wanted, keyword) : NULL;
    if (!wanted) return 1;
    wanted += sizeof keyword - 1;
    size_t length = strcspn(wanted, ";");
    icu_status status = 0;
    void *orders = icu.orders("collation", locale, 0, &status);
    int found = 0;
    const char *order;
    int32_t order_length = 0;
    while (status <= 0 && !found && (order = icu.next(orders, &order_length, &status)) != NULL)
        found = (size_t)order_length == length && memcmp(order, wanted, length) == 0;
    icu.close_list(orders);
    return found;
}

// Whether all keywords of a locale are options of collations: ICU ignores others.
static int has_options_only(const char *locale) {
    static const char *const options[] = {"collation",       "colalternate", "colbackwards", "colcasefirst", "colcaselevel",
                                          "colnormalization", "colnumeric",   "colreorder",   "colstrength"};
    for (const char *next = strchr(locale, '@'); next; next = strchr(next, ';')) {
        next++;
        size_t length = strcspn(next, "="), known = 0, count = sizeof options / sizeof *options;
        while (known < count && (strlen(options[known]) != length || memcmp(options[known], next, length) != 0)) known++;
        if (known == count) return 0;
    }
    return 1;
}

static int is_root(const char *locale) {
    size_t length = strcspn(locale, "@");
    return length == 0 || (length == 3 && memcmp(locale, "und", 3) == 0) || (length == 4 && memcmp(locale, "root", 4) == 0);
}

int freehold_shim_collator_new(const char *tag, void **collator) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    if (load_result != 0) return load_result;
    char locale[256];
    int32_t parsed = 0;
    icu_status status = 0;
    icu.tag_to_locale(tag, locale, sizeof locale, &parsed, &status);
    if (status > 0 || status == NOT_TERMINATED || parsed == 0 || (size_t)parsed != strlen(tag)) return FREEHOLD_SHIM_NO_TAG;
    if (!has_options_only(locale)) return FREEHOLD_SHIM_NO_OPTION;
    if (!has_order(locale)) return FREEHOLD_SHIM_NO_ORDER;
    void *opened = icu.open(locale, &status);
    if (status == MISSING_RESOURCE) return FREEHOLD_SHIM_NO_LANGUAGE;
    if (status > 0 || !opened) return FREEHOLD_SHIM_NO_OPTION;
    const char *valid = icu.locale_of(opened, VALID_LOCALE, &status);
    if (!valid || (is_root(valid) && !is_root(locale))) {
        icu.close(opened);
        return FREEHOLD_SHIM_NO_LANGUAGE;
    }
    *collator = opened;
    return 0;
}

void freehold_shim_collator_free(void *collator) { icu.close(collator); }

uint64_t freehold_shim_collator_version(const void *collator) {
    uint8_t bytes[8];
    icu.version(bytes);
    icu.collator_version(collator, bytes + 4);
    uint64_t version = 0;
    for (int i = 0; i < 8; i++) version = version << 8 | bytes[i];
    return version;
}

size_t freehold_shim_sort_key(const void *collator, const uint8_t *text, size_t length, uint8_t *key, size_t capacity) {
    enum { FEW = 256, MOST = 1 << 28 };
    if (length > MOST) length = MOST;
    uint16_t few[FEW], *units = few;
    // No string has more code units in UTF-16 than in UTF-8.
    if (length > FEW && !(units = malloc(length * sizeof *units))) return 0;
    icu_status status = 0;
    int32_t count = 0;
    icu.utf16(units, (int32_t)(length > FEW ? length : FEW), &count, (const char *)text, (int32_t)length, 0xFFFD, NULL, &status);
    int32_t result = status > 0 ? 0 : icu.sort_key(collator, units, count, key, capacity > INT32_MAX ? INT32_MAX : (int32_t)capacity);
    if (units != few) free(units);
    return result > 0 ? (size_t)result : 0;
}
