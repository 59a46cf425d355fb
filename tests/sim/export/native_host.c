/* Calls the exported player and two exported policies. Reads a line for each call: `p`, the size of
 * the board, the side to move, a seed and the points; or `c` or `r` and what the agent sees. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cart_pole.h"
#include "pattern_player.h"
#include "reacher.h"

enum { MOST = 500 };

static int failed(const char *text) {
    printf("error %s\n", text);
    return 0;
}

static int play(void) {
    int8_t board[MOST];
    int64_t size, side, seed, point = -7, value, score = -7, sum = 0;
    if (scanf("%" SCNd64 "%" SCNd64 "%" SCNd64, &size, &side, &seed) != 3) return 1;
    for (int i = 0; i < size * size; i++) {
        if (scanf("%" SCNd64, &value) != 1) return 1;
        board[i] = (int8_t)value;
    }
    if (pattern_player_choose(board, size, size, side, seed, &point) != GOISHI_OK)
        return failed(pattern_player_last_error());
    for (int64_t i = 0; i < size * size; i++) {
        if (pattern_player_score(board, size, size, i / size, i % size, side, &score) != GOISHI_OK)
            return failed(pattern_player_last_error());
        sum += (i + 1) * score;
    }
    printf("%" PRId64 " %" PRId64 "\n", point, sum);
    return 0;
}

static int see(float *numbers, int count) {
    for (int i = 0; i < count; i++)
        if (scanf("%f", &numbers[i]) != 1) return 1;
    return 0;
}

static int show(const float *numbers, int64_t count) {
    for (int i = 0; i < count; i++) printf(" %.9g", numbers[i]);
    printf("\n");
    return 0;
}

static int balance(void) {
    float seen[4], scores[2];
    int64_t action = -7;
    if (see(seen, 4)) return 1;
    if (cart_pole_act(seen, 4, &action) != GOISHI_OK ||
        cart_pole_scores(seen, 4, scores, 2, NULL) != GOISHI_OK)
        return failed(cart_pole_last_error());
    printf("%" PRId64, action);
    return show(scores, 2);
}

static int reach(int count) {
    float seen[MOST], action[MOST];
    int64_t size = 0;
    if (see(seen, count)) return 1;
    if (reacher_act(seen, count, action, MOST, &size) != GOISHI_OK)
        return failed(reacher_last_error());
    printf("%" PRId64, size);
    return show(action, size);
}

int main(int count, char **words) {
    char kind[2];
    int wrong = count < 2;
    while (!wrong && scanf("%1s", kind) == 1) {
        if (kind[0] == 'p') wrong = play();
        else if (kind[0] == 'c') wrong = balance();
        else wrong = reach(atoi(words[1]));
    }
    return wrong;
}
