#!/bin/sh
# Writes page.c from the names in Assets. Run it after a file is added, renamed or removed there.
cd "$(dirname "$0")" || exit 1
{
    echo '/* Written by embed.sh. Embeds the files of Assets; their content is read by the compiler. */'
    echo '#include "page.h"'
    echo
    echo '#pragma clang diagnostic ignored "-Wc23-extensions"'
    echo
    number=0
    for path in Assets/*; do
        printf 'static const unsigned char bytes%d[] = {\n#embed "%s"\n};\n' "$number" "$path"
        number=$((number + 1))
    done
    echo
    echo 'const struct page_asset page_assets[] = {'
    number=0
    for path in Assets/*; do
        printf '    {"%s", bytes%d, sizeof bytes%d},\n' "${path#Assets/}" "$number" "$number"
        number=$((number + 1))
    done
    echo '};'
    echo
    echo 'const int page_asset_count = sizeof page_assets / sizeof page_assets[0];'
} > page.c
