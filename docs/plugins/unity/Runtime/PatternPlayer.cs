using System;
using System.Runtime.InteropServices;

namespace Goishi
{
    /// <summary>Calls the exported library `pattern_player`; nothing of Unity is needed.</summary>
    /// <remarks>
    /// A board is square, row by row: 1 Black, -1 White, 0 empty. The signatures are those of
    /// pattern_player.h. All functions may be called from any thread.
    /// </remarks>
    public static class PatternPlayer
    {
        public const sbyte Black = 1, White = -1, Empty = 0;

        const string Library = "pattern_player";

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        static extern int pattern_player_choose(
            sbyte[] board, long boardSize0, long boardSize1, long toMove, long seed, out long result);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        static extern int pattern_player_score(
            sbyte[] board, long boardSize0, long boardSize1, long row, long column, long toMove,
            out long result);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        static extern IntPtr pattern_player_last_error();

        /// <summary>Choose a point for the next stone.</summary>
        /// <param name="board">Size times size points.</param>
        /// <param name="size">Points along a side.</param>
        /// <param name="toMove">Black or White.</param>
        /// <param name="seed">Which of several equally good points: any number.</param>
        /// <returns>row * size + column; -1 if the board is full.</returns>
        public static int Choose(sbyte[] board, int size, sbyte toMove, long seed)
        {
            CheckBoard(board, size);
            Check(pattern_player_choose(board, size, size, toMove, seed, out long point));
            return (int)point;
        }

        /// <summary>Score a point for the side to move; -1 if it is taken.</summary>
        /// <param name="board">Size times size points.</param>
        /// <param name="size">Points along a side.</param>
        /// <param name="row">The point's row, from 0.</param>
        /// <param name="column">The point's column, from 0.</param>
        /// <param name="toMove">Black or White.</param>
        public static long Score(sbyte[] board, int size, int row, int column, sbyte toMove)
        {
            CheckBoard(board, size);
            Check(pattern_player_score(board, size, size, row, column, toMove, out long score));
            return score;
        }

        static void CheckBoard(sbyte[] board, int size)
        {
            if (size < 0 || board == null || board.Length != size * size)
                throw new ArgumentException(
                    $"expected {size} x {size} points, found {board?.Length ?? 0}", nameof(board));
        }

        static void Check(int code)
        {
            if (code != 0)
                throw new InvalidOperationException(
                    Marshal.PtrToStringAnsi(pattern_player_last_error()));
        }
    }
}
