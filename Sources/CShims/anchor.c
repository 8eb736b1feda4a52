#include "CShims.h"
void freehold_shims_anchor(void) {}
