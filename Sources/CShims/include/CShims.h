void freehold_shims_anchor(void);
