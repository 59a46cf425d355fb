/* Arrays that a function makes for itself: memory with a count of references, freed at zero.
 *
 * Numba's code calls these functions by these names. The structure is the one that its code reads:
 * the count, two pointers that are not used here, the place of the items, their size in bytes. */
#include <stdint.h>
#include <stdlib.h>

typedef struct {
    int64_t references;
    void *unused[2];
    void *items;
    int64_t size;
} Array;

void *NRT_MemInfo_alloc_aligned(int64_t size, uint32_t alignment) {
    uintptr_t place;
    Array *array;
    if (size < 0 || (uint64_t)size > SIZE_MAX - sizeof *array - alignment) return NULL;
    array = malloc(sizeof *array + (size_t)size + alignment);
    if (!array) return NULL;
    place = (uintptr_t)(array + 1);
    if (alignment > 1) place += (alignment - place % alignment) % alignment;
    array->references = 1;
    array->unused[0] = array->unused[1] = NULL;
    array->items = (void *)place;
    array->size = size;
    return array;
}

void *NRT_MemInfo_alloc_safe_aligned(int64_t size, uint32_t alignment) {
    return NRT_MemInfo_alloc_aligned(size, alignment);
}

void *NRT_MemInfo_alloc(int64_t size) { return NRT_MemInfo_alloc_aligned(size, 32); }

void *NRT_MemInfo_alloc_safe(int64_t size) { return NRT_MemInfo_alloc_aligned(size, 32); }

/* Find the strides of an array that is seen in another shape: 1 if it lies row by row, else 0. The
 * last argument asks for column by column. Both shapes have the same number of items. */
int numba_attempt_nocopy_reshape(int64_t dimensions, const int64_t *sizes, const int64_t *strides,
                                 int64_t new_dimensions, const int64_t *new_sizes,
                                 int64_t *new_strides, int64_t item_size, int by_columns) {
    int64_t stride = item_size;
    if (by_columns) return 0;
    for (int64_t i = dimensions - 1; i >= 0; i--) {
        if (sizes[i] != 1 && strides[i] != stride) return 0;
        stride *= sizes[i];
    }
    stride = item_size;
    for (int64_t i = new_dimensions - 1; i >= 0; i--) {
        new_strides[i] = stride;
        stride *= new_sizes[i];
    }
    return 1;
}

void *NRT_Allocate(int64_t size) {
    return size < 0 || (uint64_t)size > SIZE_MAX ? NULL : malloc(size ? (size_t)size : 1);
}

void NRT_Free(void *place) { free(place); }

/* Called when the count of references has come to zero. */
void NRT_MemInfo_call_dtor(void *array) { free(array); }
