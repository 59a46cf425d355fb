// What the samples use of Unity, by name alone: enough to compile them without Unity.
using System;

namespace UnityEngine
{
    public class Object { }

    public class MonoBehaviour : Object { }

    [AttributeUsage(AttributeTargets.Field)]
    public sealed class RangeAttribute : Attribute
    {
        public RangeAttribute(float min, float max) { }
    }

    public static class Debug
    {
        public static void Log(object message) { Console.Out.WriteLine(message); }
        public static void LogError(object message, Object context) { Console.Error.WriteLine(message); }
    }
}
