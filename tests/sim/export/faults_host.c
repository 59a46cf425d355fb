/* Calls sample_script in every wrong and right way and prints what comes back, a line each. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sample_script.h"

static void tell(const char *what, int32_t code) {
    const char *text = sample_script_last_error();
    printf("%s|%d|", what, code);
    for (; *text; text++) putchar(*text == '\n' ? '~' : *text);
    printf("\n");
    fflush(stdout);
}

static void *fail_in_thread(void *unused) {
    double real = 0;
    int32_t code = sample_script_divide(1, 0, &real);
    int is_told = strstr(sample_script_last_error(), "ZeroDivisionError") != NULL;
    (void)unused;
    return (void *)(intptr_t)(code == GOISHI_SCRIPT_FAILED && is_told);
}

static void *nap(void *unused) {
    int32_t is_alone = 1;
    (void)unused;
    for (int i = 0; i < 20; i++) {
        int32_t one = 1;
        if (sample_script_alone(5, &one) != GOISHI_OK) return (void *)(intptr_t)-1;
        is_alone &= one;
    }
    return (void *)(intptr_t)is_alone;
}

static void arrays(void) {
    float vectors[6] = {1, 2, 3, 4, 5, 6}, doubled[6] = {0};
    uint8_t flags[3] = {0, 1, 7}, turned[3] = {9, 9, 9};
    uint16_t numbers[2] = {65535, 2};
    int8_t square[4] = {0};
    int64_t rows = -1, columns = -1, whole = -1;
    tell("twice", sample_script_twice(vectors, 2, 3, doubled, 6, &rows, &columns));
    printf("=%g %g %g %lld %lld\n", doubled[0], doubled[5], vectors[5], (long long)rows,
           (long long)columns);
    tell("no rows", sample_script_twice(NULL, 0, 3, NULL, 0, &rows, &columns));
    printf("=%lld %lld\n", (long long)rows, (long long)columns);
    tell("sizes not wanted", sample_script_twice(vectors, 2, 3, doubled, 6, NULL, NULL));
    tell("wrong shape", sample_script_twice(vectors, 3, 2, doubled, 6, &rows, &columns));
    tell("negative", sample_script_twice(vectors, -1, 3, doubled, 6, &rows, &columns));
    tell("enormous", sample_script_twice(vectors, INT64_MAX, 3, doubled, 6, &rows, &columns));
    tell("null array", sample_script_twice(NULL, 2, 3, doubled, 6, &rows, &columns));
    tell("null result", sample_script_twice(vectors, 2, 3, NULL, 6, &rows, &columns));
    tell("small buffer", sample_script_twice(vectors, 2, 3, doubled, 5, &rows, &columns));
    printf("=%lld %lld\n", (long long)rows, (long long)columns);
    tell("capacity", sample_script_twice(vectors, 2, 3, doubled, -1, NULL, NULL));
    tell("invert", sample_script_invert(flags, 3, turned, 3, NULL));
    printf("=%d %d %d\n", turned[0], turned[1], turned[2]);
    tell("total", sample_script_total(numbers, 2, &whole));
    printf("=%lld\n", (long long)whole);
    tell("shapeless", sample_script_shapeless(square, 4, NULL, NULL));
}

static void texts(void) {
    char buffer[64] = "before";
    int64_t length = -1;
    tell("greet", sample_script_greet("Zoë", buffer, sizeof buffer, &length));
    printf("=%s %lld\n", buffer, (long long)length);
    strcpy(buffer, "before");
    tell("small text", sample_script_greet("Zoë", buffer, 4, &length));
    printf("=%s %lld\n", buffer, (long long)length);
    tell("null text", sample_script_greet(NULL, buffer, sizeof buffer, NULL));
    tell("not utf-8", sample_script_greet("\xff", buffer, sizeof buffer, NULL));
}

static void scalars(void) {
    char long_buffer[1024];
    int64_t whole = 77;
    double real = 77;
    int32_t flag = 77;
    tell("mixed", sample_script_mixed(-1, 0.5, 1, "four", 1.5, 2.5, 7, INT64_MIN, 9, 3.5, 4.5, 5.5,
                                      6.5, 7.5, INT64_MAX, 8.5, -9.5, "eighteen", 0, 20,
                                      long_buffer, sizeof long_buffer, NULL));
    printf("=%s\n", long_buffer);
    tell("divide", sample_script_divide(7, 2, &real));
    printf("=%g\n", real);
    tell("by zero", sample_script_divide(7, 0, &real));
    printf("=%g\n", real);
    tell("null number", sample_script_divide(7, 2, NULL));
    tell("even", sample_script_is_even(4, &flag));
    printf("=%d\n", flag);
    tell("odd", sample_script_is_even(-3, &flag));
    printf("=%d\n", flag);
    tell("silent", sample_script_silent());
    const char *ways[] = {"text", "huge", "none", "float", "exit", "interrupt", "long", "unheard"};
    for (int i = 0; i < 8; i++) tell(ways[i], sample_script_misbehave(ways[i], &whole));
    printf("=%lld\n", (long long)whole);
}

static void threads(void) {
    pthread_t thread, naps[2];
    void *result = NULL;
    tell("clean", sample_script_silent());
    pthread_create(&thread, NULL, fail_in_thread, NULL);
    pthread_join(thread, &result);
    tell("of this thread", result ? 0 : 1);
    intptr_t others = 0;
    for (int i = 0; i < 2; i++) pthread_create(&naps[i], NULL, nap, NULL);
    for (int i = 0; i < 2; i++) {
        pthread_join(naps[i], &result);
        others += (intptr_t)result;
    }
    printf("naps=%s\n", others == 2 ? "one after the other" : others < 0 ? "failed" : "together");
}

int main(int count, char **arguments) {
    int64_t whole = 0;
    double real = 77;
    const char *home = count > 1 ? arguments[1] : NULL;
    tell("before init", sample_script_divide(1, 2, &real));
    printf("=%g\n", real);
    tell("shutdown before init", sample_script_shutdown());
    tell("missing home", sample_script_init("/no/such/folder"));
    tell("empty home", sample_script_init("/"));
    int32_t code = sample_script_init(home);
    tell("init", code);
    if (code != GOISHI_OK) return 1;
    tell("init again", sample_script_init(home));
    scalars();
    texts();
    arrays();
    threads();
    tell("inside", sample_script_shut_down_from_inside(&whole));
    printf("=%lld\n", (long long)whole);
    tell("count", sample_script_count(&whole));
    tell("count", sample_script_count(&whole));
    printf("=%lld\n", (long long)whole);
    tell("shutdown", sample_script_shutdown());
    tell("after shutdown", sample_script_count(&whole));
    tell("third init", sample_script_init(home));
    pthread_t sleeper;
    void *result = NULL;
    pthread_create(&sleeper, NULL, nap, NULL);
    usleep(20000);
    tell("shutdown under way", sample_script_shutdown());
    pthread_join(sleeper, &result);
    printf("=%lld\n", (long long)(intptr_t)result);
    tell("fourth init", sample_script_init(home));
    tell("count anew", sample_script_count(&whole));
    printf("=%lld\n", (long long)whole);
    return 0;
}
