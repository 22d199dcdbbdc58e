"""What the integrations of agent frameworks share: a thread's conversation, its state in a store, summaries paid for once.

Private. Each framework gives a `Reader` of its messages, an `Asker` for its models, and its own hooks around `Engine`.
"""
