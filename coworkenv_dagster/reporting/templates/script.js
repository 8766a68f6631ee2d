"use strict";
(() => {
  const form = document.querySelector(".filters");
  if (!form) return;
  const tasks = [...document.querySelectorAll(".task")];
  const show = () => {
    const { capability, outcome } = form.elements;
    let shown = 0;
    for (const task of tasks) {
      const fits =
        (!capability.value || task.dataset.capability === capability.value) &&
        (!outcome.value || task.dataset.outcome === outcome.value);
      task.hidden = !fits;
      shown += fits;
    }
    form.querySelector("output").textContent = `${shown} shown`;
  };
  form.addEventListener("change", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  show();
})();
