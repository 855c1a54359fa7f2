"""Searches over the orders of the variables."""

from arcwise.search.orders.climber import Optimum, Stop
from arcwise.search.orders.climbs import ORDER_CLIMBS, OrderClimb, climb_order
from arcwise.search.orders.growing import Orders, orders
from arcwise.search.orders.initial import INITIAL_ORDERS
from arcwise.search.orders.iterated import Iterated
from arcwise.search.orders.memetic import Memetic
from arcwise.search.orders.restarts import Restarts
from arcwise.search.orders.selected import AsObs, IInObs, InObs, MInObs, Obs, SelectedOrders, selected_orders
from arcwise.search.orders.strategies import STRATEGIES, Strategy
from arcwise.search.orders.tables import OrdersOnTable, search_orders

__all__ = [
    "INITIAL_ORDERS",
    "ORDER_CLIMBS",
    "STRATEGIES",
    "AsObs",
    "IInObs",
    "InObs",
    "Iterated",
    "MInObs",
    "Memetic",
    "Obs",
    "Optimum",
    "OrderClimb",
    "Orders",
    "OrdersOnTable",
    "Restarts",
    "SelectedOrders",
    "Stop",
    "Strategy",
    "climb_order",
    "orders",
    "search_orders",
    "selected_orders",
]
