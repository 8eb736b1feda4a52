/* Written by embed.sh. Embeds the files of Assets; their content is read by the compiler. */
#include "page.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char bytes0[] = {
#embed "Assets/app.js"
};
static const unsigned char bytes1[] = {
#embed "Assets/base.css"
};
static const unsigned char bytes2[] = {
#embed "Assets/cell-editor.js"
};
static const unsigned char bytes3[] = {
#embed "Assets/cell-view.js"
};
static const unsigned char bytes4[] = {
#embed "Assets/cells.js"
};
static const unsigned char bytes5[] = {
#embed "Assets/code-view.js"
};
static const unsigned char bytes6[] = {
#embed "Assets/collection-view.js"
};
static const unsigned char bytes7[] = {
#embed "Assets/column-panel.js"
};
static const unsigned char bytes8[] = {
#embed "Assets/completion.js"
};
static const unsigned char bytes9[] = {
#embed "Assets/dom.js"
};
static const unsigned char bytes10[] = {
#embed "Assets/draft-view.js"
};
static const unsigned char bytes11[] = {
#embed "Assets/edit-bar.js"
};
static const unsigned char bytes12[] = {
#embed "Assets/file-view.js"
};
static const unsigned char bytes13[] = {
#embed "Assets/grid-columns.js"
};
static const unsigned char bytes14[] = {
#embed "Assets/grid-keys.js"
};
static const unsigned char bytes15[] = {
#embed "Assets/grid-rows.js"
};
static const unsigned char bytes16[] = {
#embed "Assets/grid.css"
};
static const unsigned char bytes17[] = {
#embed "Assets/grid.js"
};
static const unsigned char bytes18[] = {
#embed "Assets/help.js"
};
static const unsigned char bytes19[] = {
#embed "Assets/icon.svg"
};
static const unsigned char bytes20[] = {
#embed "Assets/import-strip.js"
};
static const unsigned char bytes21[] = {
#embed "Assets/index.html"
};
static const unsigned char bytes22[] = {
#embed "Assets/inspector.js"
};
static const unsigned char bytes23[] = {
#embed "Assets/layout.css"
};
static const unsigned char bytes24[] = {
#embed "Assets/live.js"
};
static const unsigned char bytes25[] = {
#embed "Assets/main.js"
};
static const unsigned char bytes26[] = {
#embed "Assets/menu.js"
};
static const unsigned char bytes27[] = {
#embed "Assets/objects-view.js"
};
static const unsigned char bytes28[] = {
#embed "Assets/pane.js"
};
static const unsigned char bytes29[] = {
#embed "Assets/query-bar.js"
};
static const unsigned char bytes30[] = {
#embed "Assets/query-text.js"
};
static const unsigned char bytes31[] = {
#embed "Assets/requests.js"
};
static const unsigned char bytes32[] = {
#embed "Assets/row-cache.js"
};
static const unsigned char bytes33[] = {
#embed "Assets/schema-view.js"
};
static const unsigned char bytes34[] = {
#embed "Assets/scroll-map.js"
};
static const unsigned char bytes35[] = {
#embed "Assets/selection-bar.js"
};
static const unsigned char bytes36[] = {
#embed "Assets/sidebar.js"
};
static const unsigned char bytes37[] = {
#embed "Assets/sizes-view.js"
};
static const unsigned char bytes38[] = {
#embed "Assets/staged-edits.js"
};
static const unsigned char bytes39[] = {
#embed "Assets/start.js"
};
static const unsigned char bytes40[] = {
#embed "Assets/status-strip.js"
};
static const unsigned char bytes41[] = {
#embed "Assets/url-state.js"
};
static const unsigned char bytes42[] = {
#embed "Assets/view-tools.js"
};
static const unsigned char bytes43[] = {
#embed "Assets/view.js"
};
static const unsigned char bytes44[] = {
#embed "Assets/views.css"
};

const struct page_asset page_assets[] = {
    {"app.js", bytes0, sizeof bytes0},
    {"base.css", bytes1, sizeof bytes1},
    {"cell-editor.js", bytes2, sizeof bytes2},
    {"cell-view.js", bytes3, sizeof bytes3},
    {"cells.js", bytes4, sizeof bytes4},
    {"code-view.js", bytes5, sizeof bytes5},
    {"collection-view.js", bytes6, sizeof bytes6},
    {"column-panel.js", bytes7, sizeof bytes7},
    {"completion.js", bytes8, sizeof bytes8},
    {"dom.js", bytes9, sizeof bytes9},
    {"draft-view.js", bytes10, sizeof bytes10},
    {"edit-bar.js", bytes11, sizeof bytes11},
    {"file-view.js", bytes12, sizeof bytes12},
    {"grid-columns.js", bytes13, sizeof bytes13},
    {"grid-keys.js", bytes14, sizeof bytes14},
    {"grid-rows.js", bytes15, sizeof bytes15},
    {"grid.css", bytes16, sizeof bytes16},
    {"grid.js", bytes17, sizeof bytes17},
    {"help.js", bytes18, sizeof bytes18},
    {"icon.svg", bytes19, sizeof bytes19},
    {"import-strip.js", bytes20, sizeof bytes20},
    {"index.html", bytes21, sizeof bytes21},
    {"inspector.js", bytes22, sizeof bytes22},
    {"layout.css", bytes23, sizeof bytes23},
    {"live.js", bytes24, sizeof bytes24},
    {"main.js", bytes25, sizeof bytes25},
    {"menu.js", bytes26, sizeof bytes26},
    {"objects-view.js", bytes27, sizeof bytes27},
    {"pane.js", bytes28, sizeof bytes28},
    {"query-bar.js", bytes29, sizeof bytes29},
    {"query-text.js", bytes30, sizeof bytes30},
    {"requests.js", bytes31, sizeof bytes31},
    {"row-cache.js", bytes32, sizeof bytes32},
    {"schema-view.js", bytes33, sizeof bytes33},
    {"scroll-map.js", bytes34, sizeof bytes34},
    {"selection-bar.js", bytes35, sizeof bytes35},
    {"sidebar.js", bytes36, sizeof bytes36},
    {"sizes-view.js", bytes37, sizeof bytes37},
    {"staged-edits.js", bytes38, sizeof bytes38},
    {"start.js", bytes39, sizeof bytes39},
    {"status-strip.js", bytes40, sizeof bytes40},
    {"url-state.js", bytes41, sizeof bytes41},
    {"view-tools.js", bytes42, sizeof bytes42},
    {"view.js", bytes43, sizeof bytes43},
    {"views.css", bytes44, sizeof bytes44},
};

const int page_asset_count = sizeof page_assets / sizeof page_assets[0];
