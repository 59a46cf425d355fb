/* Loads the exported player as a game engine does (privately, by name) and lets two threads play a
 * game each at once: Black plays random points, White the network. Prints the games' moves. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int32_t (*init)(const char *);
static int32_t (*choose)(const int8_t *, int64_t, int64_t, int64_t *);
static int32_t (*winner)(const int8_t *, int64_t, int64_t *);
static const char *(*last_error)(void);

typedef struct { uint64_t seed; char moves[512]; int64_t winner; int32_t code; } Game;

static int64_t random_point(uint64_t *state, const int8_t *stones) {
    for (;;) {
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        int64_t point = (int64_t)((*state >> 33) % 49);
        if (stones[point] == 0) return point;
    }
}

static void *play(void *argument) {
    Game *game = argument;
    int8_t stones[49] = {0};
    uint64_t state = game->seed;
    for (int ply = 0; ply < 49 && game->winner == 0; ply++) {
        int64_t point = -1;
        if (ply % 2 == 0) point = random_point(&state, stones);
        else if ((game->code = choose(stones, 49, -1, &point)) != 0) return NULL;
        stones[point] = ply % 2 == 0 ? 1 : -1;
        sprintf(game->moves + strlen(game->moves), " %d", (int)point);
        if ((game->code = winner(stones, 49, &game->winner)) != 0) return NULL;
    }
    return NULL;
}

int main(int count, char **arguments) {
    void *library = count > 1 ? dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library) return fprintf(stderr, "%s\n", dlerror()), 2;
    *(void **)&init = dlsym(library, "gomoku_player_init");
    *(void **)&choose = dlsym(library, "gomoku_player_choose");
    *(void **)&winner = dlsym(library, "gomoku_player_winner");
    *(void **)&last_error = dlsym(library, "gomoku_player_last_error");
    if (init(NULL) != 0) return fprintf(stderr, "%s\n", last_error()), 3;
    Game games[2] = {{.seed = 11}, {.seed = 22}};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, play, &games[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < 2; i++)
        printf("%d %d %d%s\n", (int)games[i].seed, games[i].code, (int)games[i].winner,
               games[i].moves);
    return 0;
}
