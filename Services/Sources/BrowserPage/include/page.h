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

#endif
