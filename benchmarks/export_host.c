/* Times calls of the functions that `benchmarks.export` exports. */
#include "player.h"
#include <stdio.h>
#include <time.h>
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}
static double least(double a, double b) { return a < b ? a : b; }
int main(void) {
    int8_t stones[49] = {[24] = 1};
    int64_t result = 0;
    double best = 1e9, python = 1e9, nothing = 1e9, refused = 1e9, one, begin = now();
    if (player_init(NULL)) return fprintf(stderr, "%s\n", player_last_error()), 1;
    double start = now() - begin;
    for (int round = 0; round < ROUNDS; round++) {
        begin = now();
        for (int i = 0; i < CALLS; i++)
            if (player_choose(stones, 49, -1, &result)) return 2;
        best = least(best, (now() - begin) / CALLS);
        if (player_milliseconds_in_python(CALLS, &one)) return 3;
        python = least(python, one);
        begin = now();
        for (int i = 0; i < CALLS; i++)
            if (player_nothing(i, &result)) return 4;
        nothing = least(nothing, (now() - begin) / CALLS);
        begin = now();
        for (int i = 0; i < CALLS; i++)
            if (player_choose(stones, 48, -1, &result) != GOISHI_WRONG_SHAPE) return 5;
        refused = least(refused, (now() - begin) / CALLS);
    }
    printf("%f %f %f %f %f\n", start, best, python, nothing, refused);
    return 0;
}
