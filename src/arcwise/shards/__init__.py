"""Tables whose rows stay in shards, with workers that count in them."""

from arcwise.shards.dataset import ShardedDataset

__all__ = ["ShardedDataset"]
