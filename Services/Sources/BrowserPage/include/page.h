/* The browser's page: the files of the folder Assets, as bytes of the program. */
#ifndef FREEHOLD_BROWSER_PAGE_H
#define FREEHOLD_BROWSER_PAGE_H

struct page_asset {
    const char *name;
    const unsigned char *bytes;
    unsigned long count;
};

/* All assets, ordered by name. */
extern const struct page_asset page_assets[];
extern const int page_asset_count;

/* The asset at a place below the count; for Swift, which does not import arrays of unknown length. */
static inline const struct page_asset *page_asset_at(int place) { return &page_assets[place]; }

#endif
