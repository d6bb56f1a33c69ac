/* Two programs of the tutorials in C: the position array and the marked board (see nqueens_cp/textbook for both in Python).
   Prints the number of solutions. Called by classics.py as: classics position|marked N */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 20 };
static int n;
static long long found;
static int position[LARGEST];
static int board[LARGEST][LARGEST];

static int is_free(int row, int column)
{
    for (int above = 0; above < row; above++)
        if (position[above] == column || abs(position[above] - column) == row - above)
            return 0;
    return 1;
}

static void place_position(int row)
{
    if (row == n) { found++; return; }
    for (int column = 0; column < n; column++)
        if (is_free(row, column)) {
            position[row] = column;
            place_position(row + 1);
        }
}

static void mark_below(int row, int column)
{
    for (int below = row + 1; below < n; below++) {
        int distance = below - row;
        board[below][column] = 1;
        if (column - distance >= 0) board[below][column - distance] = 1;
        if (column + distance < n) board[below][column + distance] = 1;
    }
}

static void place_marked(int row)
{
    int backup[LARGEST][LARGEST];
    if (row == n) { found++; return; }
    for (int column = 0; column < n; column++)
        if (!board[row][column]) {
            memcpy(backup, board, sizeof board);
            position[row] = column;
            mark_below(row, column);
            place_marked(row + 1);
            memcpy(board, backup, sizeof board);
        }
}

int main(int count, char **words)
{
    if (count != 3) return 2;
    n = atoi(words[2]);
    (words[1][0] == 'p' ? place_position : place_marked)(0);
    printf("%lld\n", found);
    return 0;
}
