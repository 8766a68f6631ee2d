"""Inventory: products in stock, and orders of more."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from coworkenv_dagster.services._fixtures import records_of
from coworkenv_dagster.services.base import Access, Json, Prepared, Request, Service, endpoint


class ListProducts(Request):
    """Arguments of `inventory_list_products`."""

    category: str | None = Field(None, description="Only this category")


class GetProduct(Request):
    """Arguments of `inventory_get_product`."""

    product_id: str = Field(description="Product id")


class CreateOrder(Request):
    """Arguments of `inventory_create_order`."""

    product_id: str = Field(description="Product id")
    quantity: int = Field(description="How many")
    supplier: str | None = Field(None, description="Who delivers")


class Inventory(Service):
    """A warehouse."""

    name = "inventory"
    variables = ("INVENTORY_FIXTURES",)
    logs = ("orders",)

    @classmethod
    def prepare(cls, fixture: Json, now: datetime) -> Prepared:
        """Takes the fixture as it is."""
        return Prepared({"products": records_of(cls.name, fixture, "product_id")})

    @endpoint(
        "/inventory/products", tool="inventory_list_products", access=Access.READ, without_body={}
    )
    def list_products(self, request: ListProducts) -> Json:
        """List products."""
        products = [
            product
            for product in self.records["products"]
            if not request.category or product.get("category") == request.category
        ]
        return {"products": products, "total": len(products)}

    @endpoint("/inventory/products/get", tool="inventory_get_product", access=Access.READ)
    def get_product(self, request: GetProduct) -> Json:
        """Get one product."""
        found = self.find("products", "product_id", request.product_id)
        return found[1] if found else {"error": f"Product {request.product_id} not found"}

    @endpoint("/inventory/orders/create", tool="inventory_create_order", access=Access.WRITE)
    def create_order(self, request: CreateOrder) -> Json:
        """Order more of a product.

        The original does not look whether the id exists, and leaves the stock as it is.
        """
        order = {**request.model_dump(), "timestamp": self.timestamp()}
        self.log["orders"].append(order)
        return {"status": "created", "order": order}
