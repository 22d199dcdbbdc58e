"""What the integrations of agent frameworks share: a thread's conversation, its state in a store, summaries paid for once.

Private. Each framework gives a `Reader` of its messages, an `Asker` for its models, and its own hooks around `Engine`.

Nothing here waits for ever. Locks are taken in this order, and never in another:

1. `Conversation.lock`, of one conversation at a time;
2. the lock of its `Guard`;
3. the engine's own, in Rust: taken without the GIL and let go before it is taken again, and nothing of Python is called below it.

`Cache`, `Engine`, `MemoryStore` and `SqliteStore` have one each that is held alone, for a look at a table or at a file. While any is held
nothing of the host's is called, neither store nor summarizer nor a callback, but for `trust=`, which only reads a message. What is
called and may hang has a time limit, in a thread of its own that can be left behind (`background`): 10 seconds for a store, 60 for
each of two attempts at a summary, and a bound on waiting for a turn, for the claim of another worker and for a locked file.
"""
