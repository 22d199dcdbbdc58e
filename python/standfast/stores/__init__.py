"""Stores of texts beyond one process: a file of SQLite, or any store of LangGraph.

    from standfast.stores.sqlite import SqliteStore
    from standfast.stores.langgraph import LangGraphStore

`standfast.MemoryStore` lives in `standfast.store`, with the protocols.
"""
