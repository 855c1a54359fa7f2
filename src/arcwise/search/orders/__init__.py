"""Searches over the orders of the variables."""

from arcwise.search.orders.climber import Optimum, Stop
from arcwise.search.orders.descents import DESCENTS, Descent, descend
from arcwise.search.orders.growing import orders
from arcwise.search.orders.initial import INITIAL_ORDERS
from arcwise.search.orders.iterated import Iterated
from arcwise.search.orders.memetic import Memetic
from arcwise.search.orders.restarts import Restarts
from arcwise.search.orders.strategies import STRATEGIES, Strategy
from arcwise.search.orders.tables import search_orders

__all__ = [
    "DESCENTS",
    "INITIAL_ORDERS",
    "STRATEGIES",
    "Descent",
    "Iterated",
    "Memetic",
    "Optimum",
    "Restarts",
    "Stop",
    "Strategy",
    "descend",
    "orders",
    "search_orders",
]
