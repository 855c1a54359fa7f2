"""Searches over the orders of the variables."""

from typing import TYPE_CHECKING

from arcwise.support.later import names_later

if TYPE_CHECKING:
    from arcwise.search.orders.climber import Stop
    from arcwise.search.orders.climbs import INITIAL_ORDERS, ORDER_CLIMBS, Optimum, OrderClimb, climb_order
    from arcwise.search.orders.growing import Orders, orders
    from arcwise.search.orders.islands import Islands, islands
    from arcwise.search.orders.local_kicks import LocalKicks
    from arcwise.search.orders.narrow import Narrow, narrow
    from arcwise.search.orders.strategies import (
        STRATEGIES,
        Annealing,
        Iterated,
        Memetic,
        Perturbation,
        Restarts,
        Strategy,
    )
    from arcwise.search.orders.tables import (
        AsObs,
        IInObs,
        InObs,
        MInObs,
        Obs,
        OrdersOnTable,
        SelectedOrders,
        search_orders,
        selected_orders,
    )

__all__ = [
    "INITIAL_ORDERS",
    "ORDER_CLIMBS",
    "STRATEGIES",
    "Annealing",
    "AsObs",
    "IInObs",
    "InObs",
    "Islands",
    "Iterated",
    "LocalKicks",
    "MInObs",
    "Memetic",
    "Narrow",
    "Obs",
    "Optimum",
    "OrderClimb",
    "Orders",
    "OrdersOnTable",
    "Perturbation",
    "Restarts",
    "SelectedOrders",
    "Stop",
    "Strategy",
    "climb_order",
    "islands",
    "narrow",
    "orders",
    "search_orders",
    "selected_orders",
]

names_later(
    __name__,
    {
        "climber": "Stop",
        "climbs": "INITIAL_ORDERS ORDER_CLIMBS Optimum OrderClimb climb_order",
        "growing": "Orders orders",
        "islands": "Islands islands",
        "local_kicks": "LocalKicks",
        "narrow": "Narrow narrow",
        "strategies": "STRATEGIES Annealing Iterated Memetic Perturbation Restarts Strategy",
        "tables": "AsObs IInObs InObs MInObs Obs OrdersOnTable SelectedOrders search_orders selected_orders",
    },
)
