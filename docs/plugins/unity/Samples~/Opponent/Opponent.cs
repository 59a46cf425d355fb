using System;
using System.Threading.Tasks;
using UnityEngine;

namespace Goishi
{
    /// <summary>Plays one colour of five in a row. Put it on an object of your board.</summary>
    /// <remarks>
    /// Your board calls `Place` for each stone of the player. The answer comes through `Answered`, a
    /// frame or more later: the search runs beside the picture.
    /// </remarks>
    public sealed class Opponent : MonoBehaviour
    {
        [Range(5, 22)] public int size = 15;
        public bool playsWhite = true;
        public int seed = 1;

        /// <summary>Raised with row and column of the opponent's stone.</summary>
        public event Action<int, int> Answered;

        sbyte[] board;
        Task<int> thinking;

        void Awake() => Clear();

        /// <summary>Begin a new game.</summary>
        public void Clear()
        {
            board = new sbyte[size * size];
            thinking = null;
            if (!playsWhite)
                Think();
        }

        /// <summary>Put the player's stone on an empty point; false if it cannot be put there.</summary>
        public bool Place(int row, int column)
        {
            bool isInside = row >= 0 && row < size && column >= 0 && column < size;
            if (thinking != null || !isInside || board[row * size + column] != PatternPlayer.Empty)
                return false;
            board[row * size + column] = playsWhite ? PatternPlayer.Black : PatternPlayer.White;
            Think();
            return true;
        }

        void Think()
        {
            sbyte[] seen = (sbyte[])board.Clone();
            int points = size;
            long draw = seed++;
            sbyte mine = playsWhite ? PatternPlayer.White : PatternPlayer.Black;
            thinking = Task.Run(() => PatternPlayer.Choose(seen, points, mine, draw));
        }

        void Update()
        {
            if (thinking == null || !thinking.IsCompleted)
                return;
            Task<int> done = thinking;
            thinking = null;
            if (done.IsFaulted)
            {
                Debug.LogError(done.Exception.GetBaseException().Message, this);
                return;
            }
            if (done.Result < 0)
                return;
            board[done.Result] = playsWhite ? PatternPlayer.White : PatternPlayer.Black;
            Answered?.Invoke(done.Result / size, done.Result % size);
        }
    }
}
