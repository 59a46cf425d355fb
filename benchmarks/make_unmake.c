/* Placing and taking back a stone with incremental line classes: the loop of ai/kernels/moves.py.

   `struct position` is written from the layout of the record by benchmarks/search.py, so that both
   work on the same memory. */

#include <stdint.h>

#include "position.h"

static const int64_t STEPS[4] = {1, STRIDE, STRIDE + 1, STRIDE - 1};

static void change_classes(struct position *p, int64_t index, int64_t content,
                           int64_t new_classes)
{
    int64_t old = p->line_classes[index];
    if (new_classes == old)
        return;
    p->line_classes[index] = (uint8_t)new_classes;
    if (content == EMPTY_CELL) {
        p->points[old & 15] -= 1;
        p->points[CLASSES + (old >> 4)] -= 1;
        p->points[new_classes & 15] += 1;
        p->points[CLASSES + (new_classes >> 4)] += 1;
    } else {
        int64_t side = content - 1;
        p->stones[side * CLASSES + ((old >> (4 * side)) & 15)] -= 1;
        p->stones[side * CLASSES + ((new_classes >> (4 * side)) & 15)] += 1;
    }
}

static void toggle_lines(struct position *p, const uint8_t *table, int64_t cell, int64_t stone)
{
    int64_t reach = p->reach;
    for (int direction = 0; direction < 4; direction++) {
        int64_t step = STEPS[direction];
        for (int sign = -1; sign < 2; sign += 2) {
            int64_t seen = cell;
            for (int64_t distance = 1; distance <= reach; distance++) {
                seen += sign * step;
                int64_t content = p->board[seen];
                if (content == BORDER)
                    break;
                int64_t index = seen * 4 + direction;
                int64_t shift = 2 * reach - 1 - sign * (2 * distance - 1);
                int64_t key = p->line_keys[index] ^ (stone << shift);
                p->line_keys[index] = (int32_t)key;
                change_classes(p, index, content, table[key]);
            }
        }
    }
}

static void count_cell(struct position *p, int64_t cell, int64_t side, int64_t change)
{
    for (int direction = 0; direction < 4; direction++) {
        int64_t classes = p->line_classes[cell * 4 + direction];
        p->points[classes & 15] -= (int32_t)change;
        p->points[CLASSES + (classes >> 4)] -= (int32_t)change;
        p->stones[side * CLASSES + ((classes >> (4 * side)) & 15)] += (int32_t)change;
    }
}

static void place(struct position *p, const uint8_t *table, int64_t move)
{
    int64_t side = p->side, cell = p->cells[move];
    count_cell(p, cell, side, 1);
    p->board[cell] = (uint8_t)(side + 1);
    toggle_lines(p, table, cell, side + 1);
    p->key ^= p->zobrist[side * POINTS + move] ^ p->zobrist_side;
    p->moves[p->ply] = (int16_t)move;
    p->ply += 1;
    p->side = 1 - side;
}

static void take_back(struct position *p, const uint8_t *table)
{
    p->ply -= 1;
    int64_t move = p->moves[p->ply], side = 1 - p->side, cell = p->cells[move];
    p->board[cell] = EMPTY_CELL;
    toggle_lines(p, table, cell, side + 1);
    count_cell(p, cell, side, -1);
    p->key ^= p->zobrist[side * POINTS + move] ^ p->zobrist_side;
    p->side = side;
}

/* Returns a sum over what each stone made, so that no pair can be left out. */
int64_t pairs(struct position *p, const uint8_t *table, const int64_t *moves, int64_t count,
              int64_t rounds)
{
    int64_t sum = 0;
    for (int64_t round = 0; round < rounds; round++)
        for (int64_t number = 0; number < count; number++) {
            place(p, table, moves[number]);
            sum += p->points[OPEN_FOUR] + 3 * p->stones[CLASSES + OPEN_TWO] + (p->key & 7);
            take_back(p, table);
        }
    return sum;
}

int64_t size_of_position(void) { return sizeof(struct position); }
