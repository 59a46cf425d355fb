// Reads positions, a line each: size, side to move, seed, then the points. Prints the chosen point
// and the scores of all points for each. At the end it plays against the sample Opponent.
using System;
using System.Linq;
using System.Reflection;
using System.Threading;
using Goishi;

static class Program
{
    static void Main()
    {
        string line;
        while (!string.IsNullOrEmpty(line = Console.ReadLine()))
        {
            long[] numbers = line.Split(' ').Select(long.Parse).ToArray();
            int size = (int)numbers[0];
            sbyte side = (sbyte)numbers[1];
            sbyte[] board = numbers.Skip(3).Select(stone => (sbyte)stone).ToArray();
            Console.Write(PatternPlayer.Choose(board, size, side, numbers[2]));
            for (int point = 0; point < board.Length; point++)
                Console.Write(" " + PatternPlayer.Score(board, size, point / size, point % size, side));
            Console.WriteLine();
        }
        Fault(() => PatternPlayer.Choose(new sbyte[3], 2, 1, 0));
        Fault(() => PatternPlayer.Score(new sbyte[4], 2, 5, 0, 1));
        Play();
    }

    static void Fault(Action action)
    {
        try { action(); Console.WriteLine("nothing was wrong"); }
        catch (Exception error) { Console.WriteLine(error.GetType().Name + ": " + error.Message.Split('\n')[0]); }
    }

    static void Play()
    {
        var opponent = new Opponent { size = 7 };
        int answer = -1;
        opponent.Answered += (row, column) => answer = row * 7 + column;
        Call(opponent, "Awake");
        Console.WriteLine(opponent.Place(3, 3) + " " + opponent.Place(3, 4) + " " + opponent.Place(-1, 0));
        for (int i = 0; i < 2000 && answer < 0; i++) { Thread.Sleep(5); Call(opponent, "Update"); }
        Console.WriteLine("answered " + answer);
    }

    static void Call(object target, string name)
    {
        target.GetType().GetMethod(name, BindingFlags.Instance | BindingFlags.NonPublic).Invoke(target, null);
    }
}
