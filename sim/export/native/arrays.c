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

/* Called when the count of references has come to zero. */
void NRT_MemInfo_call_dtor(void *array) { free(array); }
