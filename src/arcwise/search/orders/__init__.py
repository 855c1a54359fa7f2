"""Searches over the orders of the variables."""

from arcwise.search.orders.climber import Optimum, Stop
from arcwise.search.orders.descents import DESCENTS, Descent, descend
from arcwise.search.orders.growing import Orders, orders
from arcwise.search.orders.initial import INITIAL_ORDERS
from arcwise.search.orders.iterated import Iterated
from arcwise.search.orders.memetic import Memetic
from arcwise.search.orders.restarts import Restarts
from arcwise.search.orders.selected import AsObs, IInObs, InObs, MInObs, Obs, SelectedOrders, selected_orders
from arcwise.search.orders.strategies import STRATEGIES, Strategy
from arcwise.search.orders.tables import search_orders

__all__ = [
    "DESCENTS",
    "INITIAL_ORDERS",
    "STRATEGIES",
    "AsObs",
    "Descent",
    "IInObs",
    "InObs",
    "Iterated",
    "MInObs",
    "Memetic",
    "Obs",
    "Optimum",
    "Orders",
    "Restarts",
    "SelectedOrders",
    "Stop",
    "Strategy",
    "descend",
    "orders",
    "search_orders",
    "selected_orders",
]
