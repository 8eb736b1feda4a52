/* Descriptions of properties, in a line each. */
#ifndef PROPERTY_H
#define PROPERTY_H

#include <freehold.h>
#include <string.h>

/* A property's description. */
static inline freehold_property_info_t property(const char *name, freehold_type_t type, uint32_t flags)
{
    freehold_property_info_t info;
    memset(&info, 0, sizeof info);
    info.size = sizeof info;
    info.name.bytes = name;
    info.name.length = FREEHOLD_TERMINATED;
    info.type = type;
    info.flags = flags;
    return info;
}

/* A link's description. */
static inline freehold_property_info_t link_property(const char *name, const char *target)
{
    freehold_property_info_t info = property(name, FREEHOLD_TYPE_LINK, FREEHOLD_PROPERTY_NULLABLE);
    info.link_target.bytes = target;
    info.link_target.length = FREEHOLD_TERMINATED;
    return info;
}

/* A collection's description, from that of its elements: a list of strings, or a map of lists. Links are no longer null in one. */
static inline freehold_property_info_t collection_property(freehold_property_info_t elements, freehold_type_t collection)
{
    memmove(elements.collections + 1, elements.collections, sizeof elements.collections - sizeof elements.collections[0]);
    elements.collections[0] = (uint8_t)collection;
    if (elements.type == FREEHOLD_TYPE_LINK) elements.flags &= ~(uint32_t)FREEHOLD_PROPERTY_NULLABLE;
    return elements;
}

#endif
